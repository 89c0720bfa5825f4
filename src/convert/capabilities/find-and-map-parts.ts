import type {
  CacheMark,
  FilePart,
  ImagePart,
  NeutralRequest,
  Part,
  TextPart,
  Turn,
} from '#convert/neutral-format.ts'
import { appendAll } from '#convert/append-all.ts'
import { joinTurns } from '#convert/turns-and-content.ts'

/** The parts inside tool results are not included. */
export function partsOf({ turns }: NeutralRequest): readonly Part[] {
  return partsOfTurns(turns)
}

/** Includes the images and files in tool results. */
export function mediaOf({ turns }: NeutralRequest): readonly (ImagePart | FilePart)[] {
  return mediaOfTurns(turns)
}

/** Dozens of capabilities look at the same turns, and a conversation may have tens of thousands of turns. */
const partsOfTurns = oncePerTurns((turns) => turns.flatMap(({ parts }) => parts))
const mediaOfTurns = oncePerTurns((turns) => {
  const media: (ImagePart | FilePart)[] = []
  const add = (part: Part): void => {
    if (part.kind === 'tool_result') for (const inner of part.parts) add(inner)
    else if (part.kind === 'image' || part.kind === 'file') media.push(part)
  }
  for (const { parts } of turns) for (const part of parts) add(part)
  return media
})

function oncePerTurns<Result>(
  compute: (turns: readonly Turn[]) => Result,
): (turns: readonly Turn[]) => Result {
  const results = new WeakMap<readonly Turn[], Result>()
  return (turns) => {
    const known = results.get(turns)
    if (known !== undefined) return known
    const result = compute(turns)
    results.set(turns, result)
    return result
  }
}

/** Turns that become empty are removed from the request. */
export function mapParts(
  request: NeutralRequest,
  replace: (part: Part, turn: Turn) => readonly Part[],
): NeutralRequest {
  let hasChanged = false
  const turns = request.turns.map((turn) => {
    const parts = replacedParts(turn, replace)
    if (parts === turn.parts) return turn
    hasChanged = true
    return { role: turn.role, parts }
  })
  return hasChanged ? { ...request, turns: joinTurns(turns) } : request
}

/** Returns the same list if no part changes. */
function replacedParts(turn: Turn, replace: (part: Part, turn: Turn) => readonly Part[]): readonly Part[] {
  let replaced: Part[] | null = null
  for (const [i, part] of turn.parts.entries()) {
    const parts = replace(part, turn)
    if (replaced === null && parts.length === 1 && parts[0] === part) continue
    replaced ??= turn.parts.slice(0, i)
    appendAll(replaced, parts)
  }
  return replaced ?? turn.parts
}

/** Also replaces the images and files inside tool results. */
export function mapMedia(
  request: NeutralRequest,
  replace: (part: ImagePart | FilePart) => TextPart | ImagePart | FilePart,
): NeutralRequest {
  return mapParts(request, (part) => {
    if (part.kind === 'image' || part.kind === 'file') return [replace(part)]
    if (part.kind !== 'tool_result') return [part]
    return [{ ...part, parts: part.parts.map((inner) => (inner.kind === 'text' ? inner : replace(inner))) }]
  })
}

/** Some wires require tool results at the front. */
export function resultsFirst(parts: readonly Part[]): readonly Part[] {
  return [
    ...parts.filter((part) => part.kind === 'tool_result'),
    ...parts.filter((part) => part.kind !== 'tool_result'),
  ]
}

export function cacheOf(part: Part): CacheMark | null {
  return 'cache' in part ? part.cache : null
}
