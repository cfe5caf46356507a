/** Which positions make up the conversation as it is now: rewinding leaves entries in the log on another branch. */

export interface Jump {
  /** Where the rewind stands in the log. */
  readonly at: number;
  /** The position that the conversation went back to. */
  readonly to: number;
}

export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The stretches of the log that end at a position, oldest first. */
export function pathTo(head: number, jumps: readonly Jump[]): readonly Span[] {
  const spans: Span[] = [];
  let end = head;
  while (end >= 0) {
    const jump = newestBefore(end, jumps);
    if (jump === undefined) {
      spans.push({ first: 0, last: end });
      break;
    }
    if (end > jump.at) spans.push({ first: jump.at + 1, last: end });
    // A rewind always leads to an earlier position; anything else would go round for ever.
    if (jump.to >= jump.at) break;
    end = jump.to;
  }
  return spans.reverse();
}

function newestBefore(position: number, jumps: readonly Jump[]): Jump | undefined {
  let found: Jump | undefined;
  for (const jump of jumps) {
    if (jump.at <= position && (found === undefined || jump.at > found.at)) found = jump;
  }
  return found;
}

export function isOn(path: readonly Span[], position: number): boolean {
  return path.some((span) => span.first <= position && position <= span.last);
}

/** The branches that begin right after a position, in the order in which they were begun, each with its newest end. */
export function branchesAfter(position: number, head: number, jumps: readonly Jump[]): readonly Branch[] {
  const starts = [position, ...jumps.filter((jump) => jump.to === position).map((jump) => jump.at)].map((at) => at + 1);
  const ends = [...new Set([...jumps.map((jump) => jump.at - 1), head])].sort((a, b) => b - a);
  return starts.flatMap((first) => {
    const tip = ends.find((end) => end >= first && isOn(pathTo(end, jumps), first));
    return tip === undefined ? [] : [{ first, tip }];
  });
}

export interface Branch {
  readonly first: number;
  readonly tip: number;
}
