import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Lists the repos of the platform, with Java 11 or later and no library: java ListRepos.java */
class ListRepos {
    public static void main(String[] args) throws Exception {
        var client = HttpClient.newBuilder().sslContext(authorities()).build();
        var response = send(client, "/registry/v2beta1/repos");
        if (response.statusCode() == 401) response = send(client, "/registry/v2beta1/repos");
        if (response.statusCode() != 200) throw new IOException("HTTP " + response.statusCode() + ": " + response.body());
        System.out.println(response.body());
    }

    /** The agent renews the file, so it is read before each request. */
    private static HttpResponse<String> send(HttpClient client, String path) throws IOException, InterruptedException {
        var token = Files.readString(Path.of(System.getenv("MUSTER_TOKEN_FILE"))).strip();
        var request = HttpRequest.newBuilder(URI.create(System.getenv("MUSTER_PLATFORM_URL") + path))
                .header("Authorization", "Bearer " + token)
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    /** The authorities of the platform, or Java's without the variable. */
    private static SSLContext authorities() throws Exception {
        var file = System.getenv("MUSTER_PLATFORM_CA");
        if (file == null) return SSLContext.getDefault();
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var pem = Files.newInputStream(Path.of(file))) {
            for (var one : CertificateFactory.getInstance("X.509").generateCertificates(pem))
                store.setCertificateEntry("authority-" + store.size(), one);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
