import type { UserLimit } from '#sdk/generated/types.ts'
import type { Known } from '#web/ui/known-words.ts'
import { periodWords } from '../../prices/dollars-or-credits-text.ts'

/** Such as `Pool Monthly` or `Plan limit Pro, per month`. */
export function labelOfLimit({ kind, name, period }: Pick<UserLimit, 'kind' | 'name' | 'period'>): string {
  const words = kinds[kind] ?? kind
  const isNamed = kind !== 'end_user_limit' && kind !== 'portal_total'
  const label = words === '' ? name : isNamed ? `${words} ${name}` : words
  return period === null ? label : `${label}, ${periodWords(period)}`
}

/** If the words are empty, the name of the limit says what it is. */
const kinds: Readonly<Record<string, string>> = {
  pool: 'Pool',
  team_pool: 'Team pool',
  credit: '',
  team: 'Team',
  on_demand: '',
  bundle_limit: 'Plan limit',
  end_user_limit: 'End user limit',
  portal_total: 'Keys created in the portal',
  key_cap: 'Cap of key',
} satisfies Readonly<Record<Known<UserLimit['kind']>, string>>
