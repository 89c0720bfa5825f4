/**
 * Returns the name of a source for end users. The API names sources `wallet`, `on_demand/2026-11`, and a pool by
 * bundle, slug and first day, `pro/tokens/2026-11-20`.
 */
export function sourceWords(source: string): string {
  if (source === 'wallet') return 'Balance'
  const [first = '', ...rest] = source.split('/')
  if (first === 'on_demand') return `On-demand, ${rest.join('/')}`
  const [slug = first, day] = rest
  return day === undefined ? `Included: ${slug}` : `Included: ${slug}, from ${day}`
}
