/** What is asked over HTTP: pages of the log, search, and beginning a session. */

import type { EntryFrame, Row } from "../wire";
import { messageOf } from "./login";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Hit {
  readonly session: string;
  readonly position: number;
  readonly snippet: string;
  readonly title: string;
  readonly at: string;
}

export interface SlashCommand {
  readonly name: string;
  readonly usage: string;
  readonly help: string;
  readonly aliases: readonly string[];
}

export class Api {
  constructor(private readonly secret: string) {}

  begin(session: string): Promise<unknown> {
    return this.ask("POST", "/sessions", { session });
  }

  async rows(cursor: string): Promise<{ readonly rows: readonly Row[]; readonly cursor: string }> {
    return (await this.ask("GET", `/sessions?cursor=${encodeURIComponent(cursor)}`)) as { rows: Row[]; cursor: string };
  }

  async before(session: string, position: number, limit: number): Promise<readonly EntryFrame[]> {
    const path = `/sessions/${encodeURIComponent(session)}/entries?before=${position}&limit=${limit}`;
    return ((await this.ask("GET", path)) as { entries: EntryFrame[] }).entries;
  }

  async commands(): Promise<readonly SlashCommand[]> {
    return ((await this.ask("GET", "/commands")) as { commands: SlashCommand[] }).commands;
  }

  async search(query: string): Promise<readonly Hit[]> {
    return ((await this.ask("GET", `/search?q=${encodeURIComponent(query)}`)) as { hits: Hit[] }).hits;
  }

  async upload(session: string, file: File): Promise<{ readonly blob: string; readonly media_type: string; readonly size: number; readonly name: string }> {
    const response = await this.fetch("POST", `/sessions/${encodeURIComponent(session)}/attachments?name=${encodeURIComponent(file.name)}`, file, {
      "Content-Type": file.type === "" ? "application/octet-stream" : file.type,
      "X-Holdfast-Upload": "1",
    });
    return (await response.json()) as { blob: string; media_type: string; size: number; name: string };
  }

  /** An address that shows an attachment for a while, without the secret in it. */
  async link(session: string, blob: { readonly blob: string }): Promise<string> {
    const path = `/sessions/${encodeURIComponent(session)}/attachments/${encodeURIComponent(blob.blob)}/link`;
    return ((await this.ask("POST", path, {})) as { url: string }).url;
  }

  logOut(): Promise<unknown> {
    return this.ask("DELETE", "/login");
  }

  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.fetch(method, path, sent, { "Content-Type": "application/json" });
    return response.status === 204 ? null : ((await response.json()) as unknown);
  }

  private async fetch(method: string, path: string, body: string | Blob | undefined, headers: Record<string, string>): Promise<Response> {
    const response = await fetch(path, {
      method,
      headers: { ...headers, "X-Holdfast-Secret": this.secret },
      credentials: "same-origin",
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw new ApiError(response.status, messageOf(await response.json().catch(() => null)));
    return response;
  }
}
