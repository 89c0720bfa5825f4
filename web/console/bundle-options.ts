/** The bundles of the application, for a field that names one. */
import { useAnswer } from './calls.ts'

/** Slug and words; the default one says that it is. */
export function useBundleOptions(): readonly (readonly [slug: string, words: string])[] {
  const { data } = useAnswer('bundles.list', { limit: 200 })
  return (
    data?.data.map((bundle) => [bundle.slug, `${bundle.displayName}${bundle.default ? ' (default)' : ''}`]) ??
    []
  )
}
