//! `touchstone serve` as a process: one server for a file, a link for the first admin, and no open door by default.

use crate::program::{Run, Workplace};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

/// A server that runs, with what it said when it began.
pub(crate) struct Server {
    child: Child,
    address: String,
    link: Option<String>,
}

impl Server {
    #[expect(
        clippy::zombie_processes,
        reason = "one that serves is waited for when it is dropped; one that does not has ended"
    )]
    pub(crate) fn start(place: &Workplace) -> Server {
        let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut link = None;
        for line in &mut lines {
            if line.contains("/invitation/") {
                link = Some(line.trim().to_owned());
            }
            if let Some(rest) = line.split(" at http://").nth(1) {
                let address = rest.split(' ').next().unwrap().to_owned();
                // What it says later must go somewhere, or it would wait for a reader.
                std::thread::spawn(move || lines.for_each(drop));
                return Server { child, address, link };
            }
        }
        panic!("the server ended before it served");
    }

    /// Where it listens, as `HOST:PORT`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The status line of an answer to `GET`.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap().to_owned()
    }

    /// Ends it as a power cut would.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(place: &Workplace, arguments: &[&str]) -> Run {
    place.run(&[&["serve"], arguments].concat())
}

#[test]
fn a_second_server_on_the_same_file_refuses_to_start() {
    let place = Workplace::new();
    let first = Server::start(&place);
    let second = serve(&place, &["--listen", "127.0.0.1:0"]);
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.err.contains("touchstone.db"), "it says which file: {}", second.err);
    assert!(first.get("/healthz").contains("200"), "the first serves on");
    // A lock that outlived a crash would keep people out of their own data.
    first.kill();
    assert!(Server::start(&place).get("/healthz").contains("200"));
}

#[test]
fn the_first_admin_comes_by_the_newest_printed_link() {
    let place = Workplace::new();
    let first = Server::start(&place);
    let old = first.link.clone().unwrap();
    let path = |link: &str| link[link.find("/invitation/").unwrap()..].to_owned();
    assert!(first.get(&path(&old)).contains("200"));
    first.kill();
    let second = Server::start(&place);
    let new = second.link.clone().unwrap();
    assert!(second.get(&path(&old)).contains("404"), "the link of an earlier start is worth nothing");
    assert!(second.get(&path(&new)).contains("200"));
    second.kill();
    let mut make = place.command(&["user", "create", "ada", "--admin"]);
    let mut child = make.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a stone on which gold is rubbed\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(Server::start(&place).link, None, "there is an admin");
}

#[test]
fn passwords_do_not_travel_in_the_open() {
    let place = Workplace::new();
    for arguments in [
        &["--listen", "0.0.0.0:0"][..],
        &["--listen", "0.0.0.0:0", "--public-origin", "http://touchstone.example"],
        &["--listen", "127.0.0.1:0", "--public-origin", "touchstone.example"],
        &["--listen", "127.0.0.1:0", "--public-origin", "https://touchstone.example/path"],
    ] {
        let run = serve(&place, arguments);
        assert_eq!(run.code, 3, "{arguments:?}: {run:?}");
        assert!(run.err.contains("https://"), "{arguments:?}: {run:?}");
    }
}

#[test]
fn an_address_that_is_taken_is_said() {
    let place = Workplace::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = serve(&place, &["--listen", &address]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains(&address), "{run:?}");
}

#[test]
fn the_command_line_works_while_the_server_does() {
    let place = Workplace::new();
    let server = Server::start(&place);
    place.done(&["demo"]);
    assert!(place.rows("conversations") > 0);
    let link = place.done(&["user", "invite", "--project", "demo", "--role", "annotator", "--json"]).json();
    let link = link["link"].as_str().unwrap();
    let path = &link[link.find("/invitation/").unwrap()..];
    assert!(server.get(path).contains("200"));
}
