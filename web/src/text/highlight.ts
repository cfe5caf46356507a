/** Colours of code. The languages are loaded when code is first shown. */

import type { createLowlight } from "lowlight";

export interface CodeNode {
  readonly text?: string;
  readonly name?: string;
  readonly children?: readonly CodeNode[];
}

type Lowlight = ReturnType<typeof createLowlight>;

const LONGEST = 60_000;
let lowlight: Lowlight | null = null;
let loading: Promise<Lowlight> | null = null;

async function load(): Promise<Lowlight> {
  const { createLowlight, common } = await import("lowlight");
  lowlight = createLowlight(common);
  return lowlight;
}

/** Code as coloured pieces, or null while the colours are not here yet, or where the language is not known. */
export function coloured(code: string, language: string): readonly CodeNode[] | null {
  if (lowlight === null || !lowlight.registered(language) || code.length > LONGEST) return null;
  return nodes(lowlight.highlight(language, code).children as readonly HastNode[]);
}

/** Have the colours ready; whether something changed by it. */
export async function ready(): Promise<boolean> {
  if (lowlight !== null) return false;
  loading ??= load();
  await loading;
  return true;
}

interface HastNode {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: readonly string[] };
  readonly children?: readonly HastNode[];
}

function nodes(found: readonly HastNode[]): readonly CodeNode[] {
  return found.map((node) =>
    node.type === "text"
      ? { text: node.value ?? "" }
      : { name: (node.properties?.className ?? []).join(" "), children: nodes(node.children ?? []) },
  );
}
