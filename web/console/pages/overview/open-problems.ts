import type { DoctorOutput, HealthOutput } from '#sdk/generated/operations.ts'
import type { Finding } from '#sdk/generated/types.ts'
import { inDollars } from '#explain/amounts-in-explanation-text.ts'
import { moneyText } from '#web/ui/money-text.ts'

export interface Attention {
  readonly key: string
  readonly severity: 'error' | 'warning' | 'notice'
  readonly title: string
  readonly about: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly params?: Readonly<Record<string, string>>
}

const order = { error: 0, warning: 1, notice: 2 } as const

export function attentionOf(
  doctor: Pick<DoctorOutput, 'findings'> | undefined,
  health: Pick<HealthOutput, 'circuits' | 'credentialsRefused' | 'emitters'> | undefined,
): readonly Attention[] {
  const refused = (health?.credentialsRefused ?? []).map(({ provider, refusals }): Attention => ({
    key: `credential ${provider}`,
    severity: 'error',
    title: `${provider} rejects the API key`,
    about: `${refusals} ${refusals === 1 ? 'request was' : 'requests were'} rejected since the last successful response.`,
    to: '/providers',
    search: { open: provider },
  }))
  const circuits = (health?.circuits ?? []).map(({ model, provider, why }): Attention => ({
    key: `circuit ${provider} ${model}`,
    severity: 'warning',
    title: `Requests are not routed to ${model} at ${provider}`,
    about: why,
    to: '/providers',
    search: { open: provider },
  }))
  const emitters = (health?.emitters ?? [])
    .filter(({ failingSince }) => failingSince !== null)
    .map(({ emitterId, name, notDelivered }): Attention => ({
      key: `emitter ${emitterId}`,
      severity: 'error',
      title: `Deliveries to ${name} are failing`,
      about: `${notDelivered} ${notDelivered === 1 ? 'event was' : 'events were'} not accepted.`,
      to: '/emitters',
      search: { open: emitterId },
    }))
  const told = new Set([...refused.map(() => 'credential_refused'), ...emitters.map(() => 'emitter_failing')])
  const unrouted = new Set((health?.circuits ?? []).map(({ provider }) => provider))
  const found = (doctor?.findings ?? [])
    .filter(
      ({ code, resource }) => !told.has(code) && !(code === 'account_failing' && unrouted.has(resource.id)),
    )
    .map((finding): Attention => ({
      key: `${finding.code} ${finding.resource.type} ${finding.resource.id}`,
      severity: finding.severity as Attention['severity'],
      title: inDollars(finding.message, moneyText),
      about: inDollars(finding.fix.say, moneyText),
      ...placeOf(finding),
    }))
  return [...refused, ...emitters, ...circuits, ...found].toSorted(
    (one, other) => order[one.severity] - order[other.severity],
  )
}

function placeOf({ resource: { id, type } }: Finding): Pick<Attention, 'to' | 'search' | 'params'> {
  switch (type) {
    case 'model':
      return { to: '/models', search: { open: id } }
    case 'router':
      return { to: '/routers', search: { open: id } }
    case 'bundle':
      return { to: '/bundles', search: { open: id } }
    case 'provider':
      return { to: '/providers', search: { open: id } }
    case 'emitter':
      return { to: '/emitters', search: { open: id } }
    case 'request':
      return { to: '/requests/$id', params: { id } }
    case 'end_user':
      return { to: '/users/$id', params: { id } }
    default:
      return { to: '/doctor' }
  }
}
