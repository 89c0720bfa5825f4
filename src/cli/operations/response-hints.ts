import { placeText, type Settings } from '#cli/settings/settings.ts'

/** @param text the response as JSON */
export function nextStep(id: string, text: string): string | null {
  const next = steps[id]
  if (next === undefined) return null
  const answer: unknown = JSON.parse(text)
  const field = (name: string): string => {
    const value: unknown =
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined
    return typeof value === 'string' ? value : `<${name}>`
  }
  return next(field)
}

const steps: Readonly<Record<string, (field: (name: string) => string) => string>> = {
  'apps.create': (field) => `Next: tollgate use ${field('slug')}`,
  'providers.connect': (field) => `Next: tollgate providers probe ${field('label')}`,
  'models.add': (field) => `Next: tollgate bundles allow <bundle> --models ${field('name')}`,
  'bundles.create': (field) => `Next: tollgate bundles allow ${field('slug')} --models '*'`,
  'keys.mint': (field) =>
    `The key is shown only once. Next: tollgate grants issue --end-users <end-user> --amount-units '$5' --reason Welcome (the key ${field('id')} spends the credit of its end user).`,
  'keys.rotate': (field) =>
    `The key is shown only once. The old key ${field('replaces')} expires at ${field('replacedEndsAt')}.`,
  'tokens.create': () => 'The token is shown only once.',
  'emitters.add': (field) => `Next: tollgate emitters test ${field('id')}`,
  'emitters.rotateSecret': (field) =>
    `The secret is shown only once. Deliveries are also signed with the previous secret until ${field('previousSecretEndsAt')}.`,
  'portal.link': () => 'The link works once, within one minute.',
}

/** Whether a response with status 200 reports a failure, which the exit code then shows. */
export function isFailedAnswer(id: string, text: string): boolean {
  if (id !== 'emitters.test') return false
  const answer: unknown = JSON.parse(text)
  return typeof answer === 'object' && answer !== null && 'delivered' in answer && answer.delivered === false
}

/** Lists of these nouns are the same in every application and mode. */
const nounsOfOrganization: ReadonlySet<string> = new Set([
  'apps',
  'audit',
  'catalog',
  'passkeys',
  'providers',
  'sessions',
  'team',
  'tokens',
])

/**
 * The text for an empty list names the application and the mode, because rows of another application or of the other
 * mode are often the reason. If the wallet has no entries, the plan credit and the on-demand usage may have some.
 */
export function emptyHintOf(
  id: string,
  given: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'app' | 'mode'>,
): string {
  if (id === 'users.ledger' && given['source'] !== 'all')
    return 'No wallet entries. Plan credit and on-demand usage are listed with --source all.'
  const [noun = ''] = id.split('.')
  return nounsOfOrganization.has(noun) ? 'No rows.' : `No rows in ${placeText(settings)}.`
}
