// Lists the repos of the platform, with the standard library: go run list_repos.go
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

// tokenTransport adds the token to each request. The agent renews the file, so it is read each time.
type tokenTransport struct {
	file string
	next http.RoundTripper
}

func (t tokenTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.send(request)
	// A request with a body cannot be repeated as it is.
	if err != nil || response.StatusCode != http.StatusUnauthorized || request.Body != nil {
		return response, err
	}
	response.Body.Close()
	return t.send(request)
}

func (t tokenTransport) send(request *http.Request) (*http.Response, error) {
	token, err := os.ReadFile(t.file)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return t.next.RoundTrip(request)
}

// authorities are those of the platform, or the system's (nil) without the variable.
func authorities() *x509.CertPool {
	file := os.Getenv("MUSTER_PLATFORM_CA")
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return pool
}

func main() {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities()}
	client := &http.Client{Transport: tokenTransport{os.Getenv("MUSTER_TOKEN_FILE"), transport}, Timeout: 30 * time.Second}
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
