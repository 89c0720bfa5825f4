import type {
  CacheMark,
  FilePart,
  ImagePart,
  NeutralRequest,
  Part,
  TextPart,
  Turn,
} from '#convert/neutral.ts'
import { joinTurns } from '#convert/conversation-turns.ts'

/** Every part of every turn, without the parts inside tool results. */
export function partsOf({ turns }: NeutralRequest): readonly Part[] {
  return turns.flatMap(({ parts }) => parts)
}

/** The images and files of a conversation, in results of tools too. */
export function mediaOf(request: NeutralRequest): readonly (ImagePart | FilePart)[] {
  return partsOf(request)
    .flatMap((part): readonly Part[] => (part.kind === 'tool_result' ? part.parts : [part]))
    .filter((part) => part.kind === 'image' || part.kind === 'file')
}

/** The request with other parts in place of each; turns that are left empty are gone. */
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

/** The same for images and files only, inside tool results too. */
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

/** Tool results first: wires that order parts demand this. */
export function resultsFirst(parts: readonly Part[]): readonly Part[] {
  return [
    ...parts.filter((part) => part.kind === 'tool_result'),
    ...parts.filter((part) => part.kind !== 'tool_result'),
  ]
}

export function cacheOf(part: Part): CacheMark | null {
  return 'cache' in part ? part.cache : null
}
