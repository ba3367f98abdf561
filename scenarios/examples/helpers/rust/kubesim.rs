//! Starts a simulated cluster for a test, and moves its time. Nothing but the standard library: `mod kubesim;` in a test.
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A cluster whose clock stands still unless it is moved; it ends when it is dropped.
pub struct Cluster {
    /// Such as `http://127.0.0.1:41234`; for clients of plain HTTP, `--kubeconfig-out` among the options for others.
    pub url: String,
    process: Child,
}

impl Cluster {
    /// Options are those of `kubesim serve`. `KUBESIM` is how it is called.
    pub fn start(options: &[&str]) -> Cluster {
        let command = env::var("KUBESIM").unwrap_or_else(|_| "npx kubesim".into());
        let mut words = command.split_whitespace();
        let mut process = Command::new(words.next().expect("KUBESIM says how kubesim is called"))
            .args(words)
            .args(["serve", "--clock", "manual", "--http-port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("kubesim starts");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        for line in lines.map_while(Result::ok) {
            if let Some(url) = line.strip_prefix("serving on ") {
                return Cluster { url: url.trim().to_string(), process };
            }
        }
        panic!("kubesim did not serve: {:?}", process.wait());
    }

    /// Lets time go by (`90s`, `5m`). Everything that is due has happened when it returns.
    pub fn advance(&self, span: &str) -> String {
        self.control("POST", "clock", &format!(r#"{{"advance":"{span}"}}"#))
    }

    /// What fails from now on, as JSON such as `{"partitioned":["worker-1"]}`; what is left out is healed.
    pub fn faults(&self, faults: &str) -> String {
        self.control("PUT", "faults", faults)
    }

    /// Begins a new world with the settings of the start.
    pub fn reset(&self) -> String {
        self.control("POST", "reset", "{}")
    }

    /// Asks the control path, as `/kubesim/v1/openapi` describes it.
    pub fn control(&self, method: &str, path: &str, body: &str) -> String {
        self.ask(method, &format!("/kubesim/v1/{path}"), body)
    }

    /// Any request; the body of its answer. Panics when it says no.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let host = self.url.trim_start_matches("http://");
        let mut socket = TcpStream::connect(host).expect("kubesim listens");
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("kubesim hears");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).expect("kubesim answers");
        let (head, content) = answer.split_once("\r\n\r\n").expect("an answer of HTTP");
        let status = head.split_whitespace().nth(1).unwrap_or_default();
        assert!(status.starts_with('2'), "{method} {path}: {status} {content}");
        content.to_string()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::Cluster;

    /// What the node says of itself.
    fn is_ready(cluster: &Cluster, status: &str) -> bool {
        let node = cluster.ask("GET", "/api/v1/nodes/worker-1", "");
        let (_, ready) = node.split_once(r#""type":"Ready""#).expect("a node has conditions");
        ready.split('}').next().is_some_and(|rest| rest.contains(&format!(r#""status":"{status}""#)))
    }

    #[test]
    fn a_node_that_is_cut_off() {
        let cluster = Cluster::start(&[]);
        cluster.advance("30s");
        assert!(is_ready(&cluster, "True"));
        cluster.faults(r#"{"partitioned":["worker-1"]}"#);
        cluster.advance("1m");
        assert!(is_ready(&cluster, "Unknown"));
        cluster.reset();
        cluster.advance("30s");
        assert!(is_ready(&cluster, "True"));
    }
}
