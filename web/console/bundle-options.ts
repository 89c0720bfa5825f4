import { useAllRows } from './load-all-rows.ts'

export function useBundleOptions(): readonly (readonly [slug: string, words: string])[] {
  const { data } = useAllRows('bundles.list')
  return (
    data?.rows.map((bundle) => [bundle.slug, `${bundle.displayName}${bundle.default ? ' (default)' : ''}`]) ??
    []
  )
}
