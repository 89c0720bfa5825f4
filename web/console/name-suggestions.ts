/** The field also accepts any other text. */
import { useMemo } from 'react'
import { useAllRows } from './load-all-rows.ts'
import { useAnswer } from './operations/use-operation.ts'

export function useNames(): readonly string[] {
  const models = useAllRows('models.list').data?.rows ?? []
  const routers = useAllRows('routers.list').data?.rows ?? []
  return [...models, ...routers].map(({ name }) => name).toSorted()
}

/** Includes each prefix that ends with a slash, and `*`. */
export function patternsOf(names: readonly string[]): readonly string[] {
  const prefixes = names.flatMap((name) => {
    const at = name.lastIndexOf('/')
    return at < 0 ? [] : [`${name.slice(0, at + 1)}*`]
  })
  return ['*', ...new Set([...prefixes.toSorted(), ...names])]
}

/** Models that their provider will retire are last. */
export function useModelsOf(label: string): readonly string[] {
  const rows = useAllRows('providers.models', { id: label }, { isEnabled: label !== '' }).data?.rows ?? []
  return label === ''
    ? []
    : rows
        .toSorted((one, other) => Number(one.deprecated) - Number(other.deprecated))
        .map(({ model }) => model)
}

export function useBundleSlugs(): readonly string[] {
  return (useAllRows('bundles.list').data?.rows ?? []).map(({ slug }) => slug)
}

export function useTeamSlugs(): readonly string[] {
  return (useAllRows('teams.list').data?.rows ?? []).map(({ slug }) => slug)
}

export function useTagSlugs(): readonly string[] {
  const tags = useAnswer('tags.list', {}).data?.tags
  return useMemo(() => (tags ?? []).map(({ slug }) => slug), [tags])
}
