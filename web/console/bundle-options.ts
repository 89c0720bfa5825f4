/** Options for a field that selects a bundle of the application. */
import { useAnswer } from './operations/use-operation.ts'

/** Returns slugs and labels. The label of the default bundle ends with `(default)`. */
export function useBundleOptions(): readonly (readonly [slug: string, words: string])[] {
  const { data } = useAnswer('bundles.list', { limit: 200 })
  return (
    data?.data.map((bundle) => [bundle.slug, `${bundle.displayName}${bundle.default ? ' (default)' : ''}`]) ??
    []
  )
}
