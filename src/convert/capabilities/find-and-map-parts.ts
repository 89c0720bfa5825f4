import type {
  CacheMark,
  FilePart,
  ImagePart,
  NeutralRequest,
  Part,
  TextPart,
  Turn,
} from '#convert/neutral-format.ts'
import { joinTurns } from '#convert/turns-and-content.ts'

/** The parts inside tool results are not included. */
export function partsOf({ turns }: NeutralRequest): readonly Part[] {
  return turns.flatMap(({ parts }) => parts)
}

/** Includes the images and files in tool results. */
export function mediaOf(request: NeutralRequest): readonly (ImagePart | FilePart)[] {
  return partsOf(request)
    .flatMap((part): readonly Part[] => (part.kind === 'tool_result' ? part.parts : [part]))
    .filter((part) => part.kind === 'image' || part.kind === 'file')
}

/** Turns that become empty are removed from the request. */
export function mapParts(
  request: NeutralRequest,
  replace: (part: Part, turn: Turn) => readonly Part[],
): NeutralRequest {
  const turns = request.turns.map((turn) => ({
    role: turn.role,
    parts: turn.parts.flatMap((part) => replace(part, turn)),
  }))
  return { ...request, turns: joinTurns(turns) }
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
