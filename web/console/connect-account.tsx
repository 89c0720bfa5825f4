/** Connects an account with its kind, address and key. The key is not stored in the page. */
import type { ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Note, Skeleton } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAllRows } from './all-rows.ts'
import { useChange } from './calls.ts'
import { CopyAs } from './copy-as.tsx'
import { useScope } from './scope.ts'
import { kinds, offersOf, type Offer } from './provider-kinds.ts'

export function ConnectAccount(props: {
  readonly onCancel?: () => void
  readonly onDone: (label: string) => void
}): ReactNode {
  const catalogue = useAllRows('catalog.providers')
  const accounts = useAllRows('providers.list')
  if (catalogue.isPending || accounts.isPending) return <Skeleton className="h-40" />
  // Without the catalog there are fewer choices, but each kind can still be connected.
  return (
    <Fields {...props} offers={offersOf(catalogue.data?.rows ?? [])} accounts={accounts.data?.rows ?? []} />
  )
}

function Fields({
  accounts,
  offers,
  onCancel,
  onDone,
}: {
  readonly offers: readonly Offer[]
  readonly accounts: readonly ProviderAccount[]
  readonly onCancel?: () => void
  readonly onDone: (label: string) => void
}): ReactNode {
  const { mode } = useScope()
  const connect = useChange('providers.connect', { touches: ['onboarding', 'doctor', 'health', 'models'] })
  const first = mode === 'test' ? 'simulator' : (offers[0]?.id ?? 'other')
  const form = useForm({
    // The form contains a secret.
    draft: null,
    initial: { offer: first, label: accounts.length === 0 ? 'main' : '', baseUrl: '', apiKey: '' },
    check: (values) => {
      const { baseUrl, kind } = offerOf(offers, values.offer)
      const { needsKey, needsUrl } = kinds[kind]
      const known = accounts.find(({ label }) => label === values.label)
      return {
        ...(known && known.kind !== kind && { label: 'An account of another kind has this label.' }),
        ...(!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(values.label) && {
          label: 'Small letters, digits and -, with a letter or digit at both ends.',
        }),
        ...(needsKey &&
          values.apiKey === '' &&
          known === undefined && { apiKey: 'The account is called with its key.' }),
        ...(needsUrl &&
          values.baseUrl.trim() === '' &&
          baseUrl === null && { baseUrl: 'Where its requests go, like https://api.example.com/v1.' }),
      }
    },
    async send(values) {
      const { label } = await connect.mutateAsync(inputOf(values, offers, accounts))
      toast(`Connected ${label}`)
      onDone(label)
    },
    fieldOf: { kind: 'offer' },
  })
  const { values } = form
  const offer = offerOf(offers, values.offer)
  const { needsKey, takesUrl } = kinds[offer.kind]
  const replaced = accounts.find(({ label }) => label === values.label)
  return (
    <FormBody
      form={form}
      action={values.label === '' ? 'Connect the account' : `Connect ${values.label}`}
      {...(onCancel && { onCancel })}
    >
      <SelectField
        form={form}
        name="offer"
        label="Provider"
        help={offer.about}
        options={offers.map(({ id, name }) => [id, name])}
      />
      <TextField
        form={form}
        name="label"
        label="Label"
        help="How names refer to the account, like main."
        maxLength={63}
      />
      {takesUrl && (
        <TextField
          form={form}
          name="baseUrl"
          label="Base URL"
          type="url"
          placeholder={offer.baseUrl ?? 'https://api.example.com/v1'}
          help={
            offer.baseUrl === null && kinds[offer.kind].needsUrl
              ? 'The paths of the wire are put behind it.'
              : 'Left out: the provider’s own address.'
          }
          isOptional={!(kinds[offer.kind].needsUrl && offer.baseUrl === null)}
        />
      )}
      {offer.kind !== 'simulator' && (
        <TextField
          form={form}
          name="apiKey"
          label="API key"
          type="password"
          autoComplete="new-password"
          help="Stored sealed, never shown again, and sent to this account’s address only."
          isOptional={!needsKey}
        />
      )}
      {replaced && (
        <Note tone="held" title={`The account ${replaced.label} exists.`}>
          It gets this base URL. If you enter no API key, its key is kept, unless the base URL is new. Its
          prices are kept. To replace only the key, rotate it.
        </Note>
      )}
      <div>
        <CopyAs
          operation="providers.connect"
          input={{
            ...inputOf(values, offers, accounts),
            ...(offer.kind !== 'simulator' && values.apiKey !== '' && { apiKey: '<the key>' }),
          }}
        />
      </div>
    </FormBody>
  )
}

function offerOf(offers: readonly Offer[], id: string): Offer {
  const found = offers.find((offer) => offer.id === id) ?? offers.at(-1)
  if (!found) throw new Error('there is nothing to connect')
  return found
}

function inputOf(
  { apiKey, baseUrl, label, offer: id }: { offer: string; label: string; baseUrl: string; apiKey: string },
  offers: readonly Offer[],
  accounts: readonly ProviderAccount[],
): { label: string; kind: Offer['kind']; baseUrl?: string | null; apiKey?: string } {
  const isNew = accounts.every((account) => account.label !== label)
  const offer = offerOf(offers, id)
  const url = baseUrl.trim() === '' ? offer.baseUrl : baseUrl.trim()
  return {
    label,
    kind: offer.kind,
    // An empty field means the vendor's address, and not the address of an existing account.
    ...(kinds[offer.kind].takesUrl && (url !== null || !isNew) && { baseUrl: url }),
    ...(offer.kind !== 'simulator' && apiKey !== '' && { apiKey }),
  }
}
