//! A small SMTP server for tests: it keeps what it takes, and refuses as it is told.
//!
//! What becomes of a message depends on the beginning of the recipient's address, up to the first `-`: `gone-…` is
//! refused for good, `later-…` for now, `foreign-…` because it is not relayed, `spam-…` when it is known as a whole, and
//! `slow-…` takes until [`Server::release`] is called. Everything else is taken.

#![expect(clippy::expect_used, reason = "a server of tests that fails, fails the test")]

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};

/// The user that the server knows.
const USER: &str = "lms";
/// The password of that user, until it is changed.
pub const PASSWORD: &str = "a-password";

/// How the server behaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Behaviour {
    /// Clients are to encrypt.
    pub encryption: Encryption,
    /// Clients are to show user and password: `lms`, and [`PASSWORD`] until it is changed.
    pub asks_who: bool,
    /// The number of messages after which it ends a conversation; 0: never.
    pub hangs_up_after: usize,
}

/// How connections are encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encryption {
    /// Not at all.
    #[default]
    None,
    /// After STARTTLS.
    StartTls,
    /// After STARTTLS, and somebody on the way adds a line before that is done.
    Injected,
    /// From the beginning.
    Tls,
}

/// A message that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// What stands in `MAIL FROM`.
    pub sender: String,
    /// What stands in `RCPT TO`.
    pub recipient: String,
    /// The message, with the ends of lines that it came with.
    pub text: String,
    /// True if the connection was encrypted.
    pub encrypted: bool,
}

/// A certificate for `localhost` that nobody has signed but itself, and its key, both in PEM.
pub struct Certificate {
    /// The certificate.
    pub pem: String,
    /// The key.
    pub key: String,
}

/// Makes a certificate.
pub fn certificate() -> Certificate {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    Certificate { pem: made.cert.pem(), key: made.signing_key.serialize_pem() }
}

/// A port of the loopback that nobody else is given while the socket is there, and that a server may listen at meanwhile.
pub fn hold_port() -> (u16, TcpSocket) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("a port that is held for another");
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
    (socket.local_addr().expect("an address").port(), socket)
}

/// A server on the loopback, on a thread of its own. It lives as long as the process does, or until it is stopped.
pub struct Server {
    /// Its port.
    pub port: u16,
    /// Its certificate in PEM, for `localhost`.
    pub certificate: String,
    key: String,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    held: Arc<TcpSocket>,
}

struct Shared {
    behaviour: Behaviour,
    password: Mutex<String>,
    taken: Mutex<Vec<Taken>>,
    connections: AtomicUsize,
    released: watch::Sender<bool>,
    stopped: watch::Sender<bool>,
    tls: TlsAcceptor,
}

impl Server {
    /// Starts a server on any free port.
    pub fn start(behaviour: Behaviour) -> Self {
        let (_, held) = hold_port();
        Self::start_with(Arc::new(held), behaviour, certificate())
    }

    fn start_with(held: Arc<TcpSocket>, behaviour: Behaviour, certificate: Certificate) -> Self {
        let chain = CertificateDer::from_pem_slice(certificate.pem.as_bytes()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(certificate.key.as_bytes()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .expect("the certificate belongs to the key");
        let shared = Arc::new(Shared {
            behaviour,
            password: Mutex::new(PASSWORD.to_owned()),
            taken: Mutex::default(),
            connections: AtomicUsize::new(0),
            released: watch::Sender::new(false),
            stopped: watch::Sender::new(false),
            tls: TlsAcceptor::from(Arc::new(config)),
        });
        let address = held.local_addr().expect("an address");
        let (started, wait) = mpsc::channel();
        // Tests have a runtime each; this one outlives them.
        let serving = shared.clone();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.expect("the port");
                started.send(()).expect("a test waits for it");
                serving.serve(listener).await;
            });
        });
        wait.recv().expect("the server starts");
        let (port, thread) = (address.port(), Mutex::new(Some(thread)));
        Self { port, certificate: certificate.pem, key: certificate.key, shared, thread, held }
    }

    /// A server in the place of this one, which was stopped: with its port, its certificate and its behaviour.
    pub fn start_again(&self) -> Self {
        let certificate = Certificate { pem: self.certificate.clone(), key: self.key.clone() };
        Self::start_with(self.held.clone(), self.shared.behaviour, certificate)
    }

    /// From now on clients are to show that password. Whoever is known already stays so until the end of the conversation.
    pub fn change_password(&self, password: &str) {
        password.clone_into(&mut self.shared.password());
    }

    /// What it has taken, the oldest first.
    pub fn taken(&self) -> Vec<Taken> {
        self.shared.taken().clone()
    }

    /// What it has taken for that address.
    pub fn taken_for(&self, recipient: &str) -> Vec<Taken> {
        self.taken().into_iter().filter(|taken| taken.recipient == recipient).collect()
    }

    /// The number of connections that there were.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The number of messages that are here and not taken yet, because they take their time.
    pub fn slow(&self) -> usize {
        self.shared.released.receiver_count()
    }

    /// Messages that take their time are taken from now on.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// Ends it with all its conversations: nobody answers at its port from now on.
    pub fn stop(&self) {
        self.shared.stopped.send_replace(true);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            thread.join().expect("the server ends");
        }
    }
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, Vec<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn password(&self) -> MutexGuard<'_, String> {
        self.password.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether these are the words of `AUTH` with user and password.
    fn knows(&self, words: &str) -> bool {
        let plain = BASE64_STANDARD.encode(format!("\0{USER}\0{}", self.password()));
        words == format!("PLAIN {plain}")
    }

    async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut stopped = self.stopped.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.wait_for(|stopped| *stopped) => return,
            };
            let Ok((stream, _)) = accepted else { return };
            self.connections.fetch_add(1, Ordering::Relaxed);
            // A client that breaks off is its own affair.
            tokio::spawn(self.clone().greet(stream));
        }
    }

    async fn greet(self: Arc<Self>, stream: TcpStream) -> io::Result<()> {
        if self.behaviour.encryption == Encryption::Tls {
            let stream = self.tls.accept(stream).await?;
            return Dialogue::new(&self, stream, true).greeted().await.map(drop);
        }
        let plain = Dialogue::new(&self, stream, false);
        let Some(stream) = plain.greeted().await? else { return Ok(()) };
        let stream = self.tls.accept(stream).await?;
        Dialogue::new(&self, stream, true).converse().await.map(drop)
    }
}

/// One conversation, until it ends or is to be encrypted.
struct Dialogue<'a, S> {
    shared: &'a Shared,
    stream: BufReader<S>,
    encrypted: bool,
    is_known: bool,
    sender: String,
    recipient: String,
    count: usize,
}

impl<'a, S: AsyncRead + AsyncWrite + Unpin> Dialogue<'a, S> {
    fn new(shared: &'a Shared, stream: S, encrypted: bool) -> Self {
        let (sender, recipient, is_known) = (String::new(), String::new(), !shared.behaviour.asks_who);
        Self { shared, stream: BufReader::new(stream), encrypted, is_known, sender, recipient, count: 0 }
    }

    async fn greeted(mut self) -> io::Result<Option<S>> {
        self.say("220 mail.school.test").await?;
        self.converse().await
    }

    /// Answers commands. The stream, if it is to be encrypted now.
    async fn converse(mut self) -> io::Result<Option<S>> {
        while let Some(line) = self.line().await? {
            let (command, rest) = line.split_once([' ', ':']).unwrap_or((&line, ""));
            match command.to_ascii_uppercase().as_str() {
                "EHLO" => self.hello().await?,
                "STARTTLS" if self.shared.behaviour.encryption == Encryption::Injected => {
                    self.say("220 go on\r\n250 nothing of this was encrypted").await?;
                    return Ok(Some(self.stream.into_inner()));
                }
                "STARTTLS" => {
                    self.say("220 go on").await?;
                    return Ok(Some(self.stream.into_inner()));
                }
                "AUTH" => {
                    self.is_known = self.shared.knows(rest);
                    let known = if self.is_known { "235 2.7.0 welcome" } else { "535 5.7.8 who are you?" };
                    self.say(known).await?;
                }
                "MAIL" if !self.is_known => self.say("530 5.7.0 who are you?").await?,
                "MAIL" => {
                    self.sender = address(rest);
                    self.say("250 2.1.0 OK").await?;
                }
                "RCPT" => self.recipient(rest).await?,
                "DATA" => {
                    self.say("354 go on").await?;
                    self.content().await?;
                    if self.count == self.shared.behaviour.hangs_up_after {
                        return Ok(None);
                    }
                }
                "NOOP" | "RSET" => self.say("250 OK").await?,
                "QUIT" => {
                    self.say("221 goodbye").await?;
                    return Ok(None);
                }
                _ => self.say("500 5.5.1 pardon?").await?,
            }
        }
        Ok(None)
    }

    async fn hello(&mut self) -> io::Result<()> {
        let may_encrypt = !self.encrypted && self.shared.behaviour.encryption != Encryption::None;
        let offer = if may_encrypt { "STARTTLS" } else { "AUTH PLAIN" };
        self.say(&format!("250-mail.school.test\r\n250 {offer}")).await
    }

    async fn recipient(&mut self, rest: &str) -> io::Result<()> {
        self.recipient = address(rest);
        let answer = match self.recipient.split('-').next() {
            Some("gone") => "550 5.1.1 there is no such user",
            Some("later") => "451 4.7.1 come back later",
            Some("foreign") => "550 relay not permitted",
            _ => "250 2.1.5 OK",
        };
        self.say(answer).await
    }

    async fn content(&mut self) -> io::Result<()> {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if line == ".\r\n" {
                break;
            }
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
        }
        match self.recipient.split('-').next() {
            Some("spam") => return self.say("554 5.7.1 this is spam").await,
            Some("slow") => {
                let mut released = self.shared.released.subscribe();
                let _always = released.wait_for(|released| *released).await;
            }
            _ => {}
        }
        let (sender, recipient) = (self.sender.clone(), self.recipient.clone());
        self.shared.taken().push(Taken { sender, recipient, text, encrypted: self.encrypted });
        self.count += 1;
        self.say("250 2.0.0 taken as 4bXz").await
    }

    async fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let length = self.stream.read_line(&mut line).await?;
        Ok((length > 0).then(|| line.trim_end().to_owned()))
    }

    async fn say(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(format!("{text}\r\n").as_bytes()).await?;
        self.stream.flush().await
    }
}

/// The address of `FROM:<ada@school.test>` and what follows.
fn address(text: &str) -> String {
    let inside = text.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inside.map_or("", |(address, _)| address).to_owned()
}
