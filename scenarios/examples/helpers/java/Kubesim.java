import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts a simulated cluster for a test, and moves its time: its clock stands still unless it is moved. */
public final class Kubesim implements AutoCloseable {
  /** Where it is served, and the way there for clients that read a file. */
  public final String url;
  public final Path kubeconfig;
  private final Process process;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Options are those of {@code kubesim serve}; the environment's {@code KUBESIM} is how it is called. */
  public Kubesim(String... options) throws IOException {
    kubeconfig = Files.createTempDirectory("kubesim").resolve("kubeconfig");
    String how = System.getenv().getOrDefault("KUBESIM", "npx kubesim");
    List<String> command = new ArrayList<>(List.of(how.split("\\s+")));
    command.addAll(List.of("serve", "--clock", "manual", "--http-port", "0", "--kubeconfig-out", kubeconfig.toString()));
    command.addAll(List.of(options));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    url = servedBy(process.inputReader());
  }

  private static String servedBy(BufferedReader lines) throws IOException {
    for (String line; (line = lines.readLine()) != null; )
      if (line.startsWith("serving on http:")) return line.substring("serving on ".length()).trim();
    throw new IOException("kubesim did not serve");
  }

  /** Lets time go by. Everything that is due has happened when it returns. */
  public String advance(Duration span) throws IOException, InterruptedException {
    return control("POST", "clock", "{\"advance\":" + span.toMillis() + "}");
  }

  /** What fails from now on, as JSON such as {@code {"partitioned":["worker-1"]}}; what is left out is healed. */
  public String faults(String faults) throws IOException, InterruptedException {
    return control("PUT", "faults", faults);
  }

  /** Begins a new world with the settings of the start. */
  public String reset() throws IOException, InterruptedException {
    return control("POST", "reset", "{}");
  }

  /** Asks the control path, as {@code /kubesim/v1/openapi} describes it. */
  public String control(String method, String path, String body) throws IOException, InterruptedException {
    return ask(method, "/kubesim/v1/" + path, body);
  }

  /** Any request; the body of its answer. */
  public String ask(String method, String path, String body) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url + path)).header("Content-Type", "application/json")
        .method(method, body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
    return answer.body();
  }

  @Override
  public void close() {
    process.destroy();
  }

  /** Shows it: {@code java Kubesim.java}. */
  public static void main(String[] args) throws Exception {
    try (var cluster = new Kubesim()) {
      cluster.advance(Duration.ofSeconds(30));
      expect(cluster, "True");
      cluster.faults("{\"partitioned\":[\"worker-1\"]}");
      cluster.advance(Duration.ofMinutes(1));
      expect(cluster, "Unknown");
      cluster.reset();
      cluster.advance(Duration.ofSeconds(30));
      expect(cluster, "True");
    }
    System.out.println("ok");
  }

  private static void expect(Kubesim cluster, String status) throws Exception {
    String node = cluster.ask("GET", "/api/v1/nodes/worker-1", "");
    String ready = node.substring(node.indexOf("\"type\":\"Ready\""));
    if (!ready.substring(0, ready.indexOf('}')).contains("\"status\":\"" + status + "\""))
      throw new AssertionError("expected Ready " + status + ": " + ready.substring(0, 200));
  }
}
