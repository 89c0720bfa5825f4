/** The page does not store the account's key. */
import type { ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useAllRows } from '../load-all-rows.ts'
import { useChange } from '../operations/use-operation.ts'
import { CopyAs } from '../copy-as-code.tsx'
import { labelFault } from '../help-and-errors-of-fields.ts'
import { useScope } from '../application-and-mode.ts'
import { fieldsOf, offersOf, type Offer } from './provider-kinds.ts'

export function ConnectAccount(props: {
  readonly onCancel?: () => void
  readonly onDone: (label: string) => void
}): ReactNode {
  const catalogue = useAllRows('catalog.providers')
  const accounts = useAllRows('providers.list')
  if (catalogue.isPending || accounts.isPending) return <Skeleton className="h-40" />
  // Before the catalog is loaded, the form has fewer choices, but each kind can be connected.
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
  const connect = useChange('providers.connect')
  const first = mode === 'test' ? 'simulator' : (offers[0]?.id ?? 'other')
  const form = useForm({
    // The form contains a secret.
    draft: null,
    initial: { offer: first, label: accounts.length === 0 ? 'main' : '', baseUrl: '', apiKey: '' },
    check: (values) => {
      const { baseUrl, kind } = offerOf(offers, values.offer)
      const { needsKey, needsUrl } = fieldsOf(kind)
      const known = accounts.find(({ label }) => label === values.label)
      const fault = labelFault(values.label)
      return {
        ...(known && known.kind !== kind && { label: 'An account of another kind already has this label.' }),
        ...(fault !== undefined && { label: fault }),
        ...(needsKey &&
          values.apiKey === '' &&
          known === undefined && { apiKey: 'Enter the API key of the account.' }),
        ...(needsUrl &&
          values.baseUrl.trim() === '' &&
          baseUrl === null && { baseUrl: 'Enter a base URL, like https://api.example.com/v1.' }),
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
  const { needsKey, takesUrl } = fieldsOf(offer.kind)
  const replaced = accounts.find(({ label }) => label === values.label)
  return (
    <FormBody
      form={form}
      action={values.label === '' ? 'Connect account' : `Connect ${values.label}`}
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
        help="Identifies the account in model sources. Example: main."
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
            offer.baseUrl === null && fieldsOf(offer.kind).needsUrl
              ? 'API paths are appended to this URL.'
              : 'Leave empty for the provider’s own URL.'
          }
          isOptional={!(fieldsOf(offer.kind).needsUrl && offer.baseUrl === null)}
        />
      )}
      {offer.kind !== 'simulator' && (
        <TextField
          form={form}
          name="apiKey"
          label="API key"
          type="password"
          autoComplete="new-password"
          help="Stored encrypted, never shown again, and sent only to this account’s URL."
          isOptional={!needsKey}
        />
      )}
      {replaced && (
        <Note tone="held" title={`The account ${replaced.label} already exists`}>
          Connecting updates the base URL of this account. Without an API key, the current key is kept, unless
          the base URL changes. Prices are kept. To replace only the key, rotate the key.
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
  if (!found) throw new Error('no provider offers')
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
    // An empty field means the vendor's address. For an existing account, null removes the account's own address.
    ...(fieldsOf(offer.kind).takesUrl && (url !== null || !isNew) && { baseUrl: url }),
    ...(offer.kind !== 'simulator' && apiKey !== '' && { apiKey }),
  }
}
