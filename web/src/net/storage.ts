/** What this browser keeps until the log has it: messages that were typed and not yet confirmed, and unsent drafts. */

import type { Outgoing } from "../state/page";

const NAME = "holdfast";
const MESSAGES = "outbox";
const DRAFTS = "drafts";

export interface Storage {
  all(): Promise<readonly Outgoing[]>;
  put(message: Outgoing): Promise<void>;
  remove(id: string): Promise<void>;
  draft(session: string): Promise<string>;
  keepDraft(session: string, text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Storage of the browser; in memory where it gives none, so that the page still works for as long as it is open. */
export async function openStorage(): Promise<Storage> {
  try {
    return new Kept(await opened());
  } catch {
    return new InMemory();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(MESSAGES, { keyPath: "id" });
      request.result.createObjectStore(DRAFTS);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
    request.onblocked = () => reject(new Error("another page holds the storage"));
  });
}

class Kept implements Storage {
  constructor(private readonly database: IDBDatabase) {}

  async all(): Promise<readonly Outgoing[]> {
    const found = (await this.read(MESSAGES, (store) => store.getAll())) as Outgoing[];
    return found.sort((a, b) => a.typed - b.typed);
  }

  put(message: Outgoing): Promise<void> {
    return this.write(MESSAGES, (store) => store.put(message));
  }

  remove(id: string): Promise<void> {
    return this.write(MESSAGES, (store) => store.delete(id));
  }

  async draft(session: string): Promise<string> {
    const found = await this.read(DRAFTS, (store) => store.get(session));
    return typeof found === "string" ? found : "";
  }

  keepDraft(session: string, text: string): Promise<void> {
    return this.write(DRAFTS, (store) => (text === "" ? store.delete(session) : store.put(text, session)));
  }

  async clear(): Promise<void> {
    await this.write(MESSAGES, (store) => store.clear());
    await this.write(DRAFTS, (store) => store.clear());
  }

  private read(name: string, what: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request = what(this.database.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("not read"));
    });
  }

  private write(name: string, what: (store: IDBObjectStore) => IDBRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(name, "readwrite", { durability: "strict" });
      what(transaction.objectStore(name));
      transaction.oncomplete = () => resolve();
      transaction.onerror = () => reject(transaction.error ?? new Error("not kept"));
      transaction.onabort = () => reject(transaction.error ?? new Error("not kept"));
    });
  }
}

class InMemory implements Storage {
  private readonly messages = new Map<string, Outgoing>();
  private readonly drafts = new Map<string, string>();

  async all(): Promise<readonly Outgoing[]> {
    return [...this.messages.values()];
  }

  async put(message: Outgoing): Promise<void> {
    this.messages.set(message.id, message);
  }

  async remove(id: string): Promise<void> {
    this.messages.delete(id);
  }

  async draft(session: string): Promise<string> {
    return this.drafts.get(session) ?? "";
  }

  async keepDraft(session: string, text: string): Promise<void> {
    this.drafts.set(session, text);
  }

  async clear(): Promise<void> {
    this.messages.clear();
    this.drafts.clear();
  }
}
