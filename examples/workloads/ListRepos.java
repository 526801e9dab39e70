import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;

/** Lists the repos of the platform, with Java 11 or later and no library: java ListRepos.java */
class ListRepos {
    private static final HttpClient client = HttpClient.newHttpClient();

    public static void main(String[] args) throws Exception {
        System.out.println(request("/registry/v2beta1/repos"));
    }

    /** The agent renews the file, so it is read before each request. */
    private static String request(String path) throws IOException, InterruptedException {
        var token = Files.readString(Path.of(System.getenv("MUSTER_TOKEN_FILE"))).strip();
        var request = HttpRequest.newBuilder(URI.create(System.getenv("MUSTER_PLATFORM_URL") + path))
                .header("Authorization", "Bearer " + token)
                .build();
        var response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IOException("HTTP " + response.statusCode() + ": " + response.body());
        return response.body();
    }
}
