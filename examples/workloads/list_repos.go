// Lists the repos of the platform, with the standard library: go run list_repos.go
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

// tokenTransport adds the token to each request. The agent renews the file, so it is read each time.
type tokenTransport struct{ file string }

func (t tokenTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := os.ReadFile(t.file)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	client := &http.Client{Transport: tokenTransport{os.Getenv("MUSTER_TOKEN_FILE")}, Timeout: 30 * time.Second}
	response, err := client.Get(os.Getenv("MUSTER_PLATFORM_URL") + "/registry/v2beta1/repos")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var page struct {
		Repos []struct{ Name string }
	}
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, repo := range page.Repos {
		fmt.Println(repo.Name)
	}
}
