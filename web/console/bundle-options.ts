import { useAnswer } from './operations/use-operation.ts'

export function useBundleOptions(): readonly (readonly [slug: string, words: string])[] {
  const { data } = useAnswer('bundles.list', { limit: 200 })
  return (
    data?.data.map((bundle) => [bundle.slug, `${bundle.displayName}${bundle.default ? ' (default)' : ''}`]) ??
    []
  )
}
