/** What the page does: it keeps sessions attached, and sends each message until the log has it. */

import { firstOf, lastOf } from "../state/conversation";
import { answered, saidSince, sayFrame } from "../state/outbox";
import { type Outgoing, tooMany } from "../state/page";
import type { PageStore } from "../state/store";
import type { AnswerFrame, FromClient, FromServer, SayFrame } from "../wire";
import { Api, ApiError } from "./api";
import { forget, type Kept } from "./login";
import { GatewaySocket } from "./socket";
import type { Storage } from "./storage";

const LAST = 100;
const PAGE = 100;
const ROWS = 50;
const TOLD_MS = 1_500;

export interface Say {
  readonly session: string;
  readonly text: string;
  readonly parts?: SayFrame["parts"];
  readonly enters?: "step" | "after";
  readonly continues?: number | null;
}

export class Client {
  readonly api: Api;
  private readonly socket: GatewaySocket;
  private wasLost = false;
  private reading = new Set<string>();
  private readonly sent = new Set<string>();
  private readonly answers = new Map<string, (answers: readonly unknown[]) => void>();
  private cursor: string | null = null;

  constructor(
    login: Kept,
    readonly store: PageStore,
    private readonly storage: Storage,
  ) {
    this.api = new Api(login.secret);
    this.socket = new GatewaySocket(login.secret, {
      opened: (hello) => this.opened(hello),
      frame: (frame) => this.received(frame),
      lost: () => {
        this.wasLost = true;
        this.sent.clear();
        this.store.dispatch({ does: "lost", now: Date.now() });
      },
      signedOut: (why) => this.signedOut(why),
    });
  }

  async start(): Promise<void> {
    this.store.dispatch({ does: "connecting", now: Date.now() });
    this.store.dispatch({ does: "outbox", outbox: await this.storage.all() });
    this.socket.start();
  }

  /** Have a session shown, and watched from now on. */
  open(session: string): void {
    this.store.dispatch({ does: "open", session });
    if (this.store.get().conversations.get(session)?.meta != null) return;
    for (const each of tooMany(this.store.get())) this.close(each);
    this.attach(session);
  }

  private close(session: string): void {
    if (this.store.get().conversations.get(session)?.link === "live") this.send({ frame: "detach", session });
    this.store.dispatch({ does: "close", session });
  }

  /** Say something. It is kept in this browser first, so that it is said once whatever happens. */
  async say({ session, text, parts, enters = "step", continues = null }: Say): Promise<void> {
    const begins = !this.store.get().rows.has(session) && this.store.get().conversations.get(session)?.meta == null;
    const words: SayFrame["parts"] = text === "" ? [] : [{ kind: "text", text }];
    const message: Outgoing = {
      id: crypto.randomUUID(),
      session,
      parts: [...words, ...(parts ?? [])],
      enters,
      continues,
      begins,
      typed: Date.now(),
      since: saidSince(this.store.get().conversations.get(session), begins),
      failure: "",
    };
    await this.storage.put(message);
    await this.refreshOutbox();
    this.flush();
  }

  async takeBack(message: Outgoing): Promise<void> {
    await this.storage.remove(message.id);
    await this.refreshOutbox();
  }

  /** Send a message again that was refused. */
  async retry(message: Outgoing): Promise<void> {
    await this.storage.put({ ...message, failure: "" });
    await this.refreshOutbox();
    this.flush();
  }

  takeBackQueued(session: string, position: number): void {
    this.send({ frame: "take_back", session, position, id: crypto.randomUUID() });
  }

  stop(session: string): void {
    this.send({ frame: "stop", session, id: crypto.randomUUID() });
  }

  answer(session: string, question: string, answer: Partial<AnswerFrame>): void {
    this.send({ ...answer, frame: "answer", session, question, id: crypto.randomUUID() });
  }

  /** Run a slash command; what it gave back, or nothing if there is no connection. */
  command(session: string, line: string): Promise<readonly unknown[]> {
    return new Promise((resolve) => {
      const id = crypto.randomUUID();
      this.answers.set(id, resolve);
      if (!this.send({ frame: "command", session, line, id })) this.settle(id, []);
    });
  }

  seen(session: string, position: number): void {
    this.send({ frame: "seen", session, position });
  }

  /** Send a file to a session, which is begun if it is not there yet; what a message names it by. */
  async upload(session: string, file: File): Promise<SayFrame["parts"][number]> {
    if (!this.store.get().rows.has(session)) await this.begin(session);
    const kept = await this.api.upload(session, file);
    return { kind: "blob", blob: kept.blob, media_type: kept.media_type, size: kept.size, name: kept.name };
  }

  /** Read earlier entries of a session. */
  async older(session: string, limit = PAGE): Promise<void> {
    const conversation = this.store.get().conversations.get(session);
    if (conversation === undefined || this.reading.has(session)) return;
    const before = firstOf(conversation);
    if (before <= 0 || conversation.entries.length === 0) return;
    this.reading.add(session);
    try {
      this.store.dispatch({ does: "older", session, frames: await this.api.before(session, before, limit) });
    } catch (error) {
      this.failed(session, error);
    } finally {
      this.reading.delete(session);
    }
  }

  /** The next rows of the list, when one scrolls to its end. */
  async moreRows(): Promise<void> {
    if (this.cursor === "" || this.reading.has("")) return;
    this.reading.add("");
    try {
      const page = await this.api.rows(this.cursor ?? "");
      this.cursor = page.cursor;
      this.store.dispatch({ does: "rows", rows: page.rows });
    } catch (error) {
      this.failed("", error);
    } finally {
      this.reading.delete("");
    }
  }

  /** Begin another session that shares everything up to a position; its key. */
  async fork(session: string, at: number): Promise<string> {
    return ((await this.api.ask("POST", `/sessions/${encodeURIComponent(session)}/fork`, { at })) as { session: string }).session;
  }

  /** Change what is known about a session: its title, or whether it is pinned or archived. */
  async edit(session: string, edit: { readonly title?: string; readonly pinned?: boolean; readonly archived?: boolean }): Promise<void> {
    await this.tried(session, () => this.api.ask("PATCH", `/sessions/${encodeURIComponent(session)}`, edit));
  }

  /** Move a session into the trash; what to call it by to bring it back. */
  async remove(session: string): Promise<string> {
    const trashed = await this.tried(session, () => this.api.ask("DELETE", `/sessions/${encodeURIComponent(session)}`));
    return (trashed as { name?: string } | null)?.name ?? "";
  }

  async bringBack(name: string): Promise<void> {
    await this.tried("", () => this.api.ask("POST", `/trash/${encodeURIComponent(name)}`));
  }

  private async tried(session: string, what: () => Promise<unknown>): Promise<unknown> {
    try {
      return await what();
    } catch (error) {
      this.failed(session, error);
      return null;
    }
  }

  async rewind(session: string, at: number): Promise<void> {
    await this.tried(session, () => this.api.ask("POST", `/sessions/${encodeURIComponent(session)}/rewind`, { to: at }));
  }

  draft(session: string): Promise<string> {
    return this.storage.draft(session);
  }

  keepDraft(session: string, text: string): Promise<void> {
    return this.storage.keepDraft(session, text);
  }

  async logOut(): Promise<void> {
    await this.api.logOut().catch(() => undefined);
    this.socket.end();
    await this.storage.clear();
    this.signedOut("");
  }

  private signedOut(why: string): void {
    forget();
    this.store.dispatch({ does: "signed_out", why });
  }

  private opened(hello: FromServer): void {
    this.store.dispatch({ does: "frame", frame: hello });
    this.send({ frame: "watch_list", limit: ROWS, id: "list" });
    for (const session of this.store.get().conversations.keys()) this.attach(session);
    this.flush();
    if (this.wasLost) {
      this.wasLost = false;
      setTimeout(() => this.store.dispatch({ does: "resumed", now: Date.now() }), TOLD_MS);
    }
  }

  /** Attach to a session, from what is there of it already. */
  private attach(session: string): void {
    const conversation = this.store.get().conversations.get(session);
    if (conversation === undefined || !this.socket.ready) return;
    const run = this.store.get().hello?.run ?? "";
    const known = conversation.entries.length > 0;
    const draft = conversation.draft;
    this.send({
      frame: "attach",
      session,
      ...(known ? { after: lastOf(conversation), epoch: conversation.epoch, crc: conversation.crc } : { last: LAST }),
      ...(known && draft !== null && conversation.meta !== null ? { draft: { run, reply: draft.reply, chars: draft.length } } : {}),
    });
  }

  private received(frame: FromServer): void {
    if (frame.frame === "done" || frame.frame === "error") this.settled(frame);
    if (frame.frame === "answers") this.settle(frame.id, Array.isArray(frame.answers) ? (frame.answers as unknown[]) : []);
    if (frame.frame === "bye" && frame.why === "logged_out") this.signedOut(frame.hint);
    if (frame.frame === "error" && this.isExpected(frame)) return;
    this.store.receive(frame);
    if (frame.frame === "entry" || frame.frame === "delta" || frame.frame === "snapshot") {
      queueMicrotask(() => this.mendGap(frame.session));
    }
  }

  /** A gap is never shown: the session is attached again. */
  private mendGap(session: string): void {
    if (this.store.get().conversations.get(session)?.link === "stale") {
      this.store.flush();
      this.attach(session);
    }
  }

  private isExpected(frame: { readonly id: string; readonly session: string; readonly code: string }): boolean {
    return this.sent.has(frame.id) || (frame.code === "no_session" && this.store.get().outbox.some((each) => each.session === frame.session));
  }

  private settled(frame: FromServer & { readonly frame: "done" | "error" }): void {
    if (this.sent.has(frame.id)) void this.confirmed(frame);
    else if (frame.frame === "error") this.settle(frame.id, []);
  }

  private settle(id: string, answers: readonly unknown[]): void {
    this.answers.get(id)?.(answers);
    this.answers.delete(id);
  }

  private async confirmed(frame: FromServer & { readonly frame: "done" | "error" }): Promise<void> {
    const message = this.store.get().outbox.find((each) => each.id === frame.id);
    const left = message === undefined ? null : answered(message, frame);
    if (left !== null && left === message) return; // the next connection sends it again
    this.sent.delete(frame.id);
    if (left !== null) await this.storage.put(left);
    else if (frame.frame === "done") await this.storage.remove(frame.id);
    await this.refreshOutbox();
    this.flush();
  }

  private async refreshOutbox(): Promise<void> {
    this.store.dispatch({ does: "outbox", outbox: await this.storage.all() });
  }

  /** Send what is waiting, the oldest of each session first, one at a time, so that the order stays. */
  private flush(): void {
    if (!this.socket.ready) return;
    const busy = new Set<string>();
    for (const message of this.store.get().outbox) {
      if (message.failure !== "" || busy.has(message.session)) continue;
      busy.add(message.session);
      if (!this.sent.has(message.id)) void this.deliver(message);
    }
  }

  private async deliver(message: Outgoing): Promise<void> {
    this.sent.add(message.id);
    try {
      if (message.begins) await this.begin(message.session);
      this.open(message.session);
    } catch (error) {
      this.sent.delete(message.id);
      this.failed(message.session, error);
      return;
    }
    if (!this.send(sayFrame(message))) this.sent.delete(message.id);
  }

  private async begin(session: string): Promise<void> {
    try {
      await this.api.begin(session);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error; // begun before this page was loaded again
    }
  }

  private failed(session: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.store.dispatch({ does: "failed", failure: { code: "failed", message, hint: "", session } });
  }

  private send(frame: FromClient): boolean {
    return this.socket.send(frame);
  }
}
