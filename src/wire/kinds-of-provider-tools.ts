import type { Edit, Insertion } from '#wire/text/apply-edits.ts'

/** Kinds of tools that a provider runs. All other tools of providers have no kind and are never sent. */
export const toolKinds = [
  'webSearch',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'imageGeneration',
  'mcp',
  'toolSearch',
] as const
export type ToolKind = (typeof toolKinds)[number]

/** The tools of a request that the provider runs. */
export interface RunTools<Dropped> {
  /** The kinds of the tools in the request; the list has at least one kind. */
  readonly kinds: readonly ToolKind[]
  /** Whether one limit applies to the uses of all tools together. If false, each tool has a limit of its own. */
  readonly isShared: boolean
  /** Positions of the limits in the body. Empty if the uses of the tools cost nothing. */
  readonly limits: readonly UseLimit[]
  /**
   * The request without the tools that the provider runs. A fault if the request cannot be sent without these tools.
   */
  readonly dropped: Dropped
}

/** The maximum number of uses of a tool, as it is written in the body. */
export interface UseLimit {
  /** The kind of the tool. Null if the limit applies to all tools of the request together. */
  readonly kind: ToolKind | null
  /** The maximum number of uses that the application sets. Absent if the application sets no maximum. */
  readonly most?: number
  /** The maximum number of uses that the client sets. Null if the client sets no maximum. */
  readonly asked: number | null
  /**
   * The position of the client's limit, or the position at which a limit is inserted. Null if the wire has no field for
   * a limit of uses.
   */
  readonly place: { readonly span: { readonly start: number; readonly end: number } } | Insertion | null
}

/**
 * Returns the edits that limit how often the provider uses its tools. A lower limit of the client is kept.
 * @param held the number of uses that the hold covers
 */
export function limitEdits({ limits }: Pick<RunTools<unknown>, 'limits'>, held: number): readonly Edit[] {
  return limits.flatMap(({ asked, most, place }): Edit[] => {
    const usesMax = Math.min(held, most ?? held)
    if (place === null || (asked !== null && asked <= usesMax)) return []
    if ('span' in place) return [{ ...place.span, text: String(usesMax) }]
    const { after, at, before } = place
    return [{ start: at, end: at, text: before + usesMax + after }]
  })
}
