/** The connection to the gateway: it comes back by itself, and says so when it is lost or not welcome. */

import { type FromClient, type FromServer, type HelloFrame, PATIENCE, PROTOCOL } from "../wire";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 10_000;
const FIRST_PATIENCE = PATIENCE * 1000;
/** Codes with which the gateway says that this login does not count. */
const NOT_WELCOME = new Set([4001]);

export interface SocketEvents {
  opened(hello: HelloFrame): void;
  frame(frame: FromServer): void;
  lost(): void;
  signedOut(why: string): void;
}

export class GatewaySocket {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private patienceMs = FIRST_PATIENCE;
  private open = false;
  private ended = false;

  constructor(
    private readonly secret: string,
    private readonly events: SocketEvents,
  ) {}

  start(): void {
    addEventListener("online", this.hurry);
    addEventListener("pageshow", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
    this.connect();
  }

  end(): void {
    this.ended = true;
    removeEventListener("online", this.hurry);
    removeEventListener("pageshow", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    this.socket?.close();
  }

  get ready(): boolean {
    return this.open;
  }

  /** Send a frame; whether there was a connection to send it on. Whoever wants it done waits for the answer. */
  send(frame: FromClient): boolean {
    if (!this.open || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  private readonly hurry = (): void => {
    if (document.hidden || this.ended) return;
    this.wait = FIRST_WAIT;
    if (this.socket === null) this.connect();
  };

  private connect(): void {
    clearTimeout(this.timer);
    if (this.ended) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket = socket;
    this.expectMore();
    socket.onopen = () => socket.send(JSON.stringify({ frame: "connect", protocol: PROTOCOL, secret: this.secret, client: "web" }));
    socket.onmessage = (event) => {
      if (socket === this.socket) this.receive(JSON.parse(String(event.data)) as FromServer);
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code, event.reason);
    };
  }

  private receive(frame: FromServer): void {
    this.expectMore();
    if (frame.frame === "hello") {
      this.open = true;
      this.wait = FIRST_WAIT;
      this.patienceMs = frame.patience * 1000;
      this.events.opened(frame);
    } else {
      this.events.frame(frame);
    }
  }

  /** A connection on which nothing comes any more is lost, even where the system does not notice. */
  private expectMore(): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      this.socket?.close();
      this.closed(0, "");
    }, this.patienceMs);
  }

  private closed(code: number, reason: string): void {
    this.socket = null;
    this.open = false;
    clearTimeout(this.patience);
    if (this.ended) return;
    if (NOT_WELCOME.has(code)) {
      this.end();
      this.events.signedOut(reason);
      return;
    }
    this.events.lost();
    this.timer = setTimeout(() => this.connect(), this.wait * (0.5 + Math.random()));
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }
}
