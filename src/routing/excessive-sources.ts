import { type RouterFault, type RouterLinks, validateRouters } from './validate-routers.ts'

/** Maps each model name to its number of sources. */
type SourceCounts = ReadonlyMap<string, number>

/**
 * Returns the fault of the first router that resolves to too many targets because a model name gets more sources. If
 * the routers were already invalid, returns null, so that the model names can still change.
 */
export function excessiveSources(
  routers: readonly RouterLinks[],
  { after, before }: { readonly before: SourceCounts; readonly after: SourceCounts },
): RouterFault | null {
  const faultWith = (counts: SourceCounts) => validateRouters(routers, (name) => counts.get(name) ?? null)
  const fault = faultWith(after)
  return fault?.kind === 'too_many_targets' && faultWith(before) === null ? fault : null
}
