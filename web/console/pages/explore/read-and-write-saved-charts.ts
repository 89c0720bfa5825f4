import type { SearchTexts } from '../../url-parameters.ts'
import { chartNames } from './settings-in-explore-url.ts'

export interface SavedChart {
  readonly name: string
  readonly search: SearchTexts
}

export function chartOf(search: SearchTexts): SearchTexts {
  return Object.fromEntries(
    chartNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  )
}

/** Empty if the stored text is invalid. */
export function chartsOf(text: string | null): readonly SavedChart[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(list)) return []
    return list.flatMap((one: unknown) => {
      if (typeof one !== 'object' || one === null || !('name' in one) || !('search' in one)) return []
      if (typeof one.name !== 'string' || typeof one.search !== 'object' || one.search === null) return []
      const search = Object.fromEntries(
        Object.entries(one.search).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
      )
      return [{ name: one.name, search: chartOf(search) }]
    })
  } catch {
    return []
  }
}

export const textOfCharts = (charts: readonly SavedChart[]): string => JSON.stringify(charts)
