/** Creates a key, and shows its secret once with code that calls the gateway with it. */
import { useState, type ReactNode } from 'react'
import type { MintedKey } from '#sdk/generated/types.ts'
import { FormBody, MoneyField, moneyFault, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText } from '#web/ui/money-text.ts'
import { useNow } from '#web/ui/now.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { zoneText } from '#web/ui/time-zone.ts'
import { useBundleOptions } from '../bundle-options.ts'
import { useChange } from '../calls.ts'
import { CopyAs } from '../copy-as.tsx'
import { EndUserField } from '../end-user-field.tsx'
import { msOfLocal } from '../local-time.ts'
import { useScope } from '../scope.ts'
import { KeySecret } from './key-secret.tsx'

export function MintKey({
  endUserId = '',
  onClose,
}: {
  /** The end user, if already chosen. */
  readonly endUserId?: string
  readonly onClose: () => void
}): ReactNode {
  const { mode } = useScope()
  const mint = useChange('keys.mint', { touches: ['users', 'apps'] })
  const [minted, setMinted] = useState<{
    readonly minted: MintedKey
    readonly endUserId: string
  } | null>(null)
  const bundles = useBundleOptions()
  const zone = zoneText(useNow(3_600_000))
  const form = useForm({
    draft: endUserId === '' ? 'new key' : null,
    initial: {
      endUserId,
      name: '',
      bundle: '',
      cap: '',
      capPeriod: 'month',
      expires: '',
      mode: mode,
    },
    check: ({ cap, endUserId: who, expires }) => ({
      ...(who.trim() === '' && { endUserId: 'Write whose key it is.' }),
      ...(cap.trim() !== '' && moneyFault(cap) !== undefined && { cap: moneyFault(cap) ?? '' }),
      ...(expires !== '' && !(msOfLocal(expires) > Date.now()) && { expires: 'Choose a time to come.' }),
    }),
    fieldOf: { capMicros: 'cap', expiresAt: 'expires', livemode: 'mode' },
    async send(values) {
      const key = await mint.mutateAsync(inputOf(values))
      setMinted({ minted: key, endUserId: values.endUserId.trim() })
    },
  })
  if (minted) return <KeySecret {...minted} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Mint a key"
      about="It spends as one person. Its secret is shown once, right after."
    >
      <FormBody form={form} action={`Mint a ${form.values.mode} key`} busyAction="Minting" onCancel={onClose}>
        {endUserId === '' ? (
          <EndUserField form={form} name="endUserId" label="End user" />
        ) : (
          <p className="text-14">
            For <bdi className="font-medium wrap-anywhere">{endUserId}</bdi>
          </p>
        )}
        <TextField
          form={form}
          name="name"
          label="Name"
          isOptional
          help="What it is for, such as laptop or ci."
          maxLength={128}
        />
        <SelectField
          form={form}
          name="bundle"
          label="Bundle"
          isOptional
          help="Puts the person on it; with it change what all their keys may call."
          options={[
            ['', endUserId === '' ? 'As they are; the default for somebody new' : 'As they are'],
            ...bundles,
          ]}
        />
        <div className="grid gap-4 phone:grid-cols-2">
          <MoneyField
            form={form}
            name="cap"
            label="Cap"
            isOptional
            help="The most that this key may spend."
          />
          <SelectField
            form={form}
            name="capPeriod"
            label="Starts anew"
            options={[
              ['month', 'Each month (UTC)'],
              ['week', 'Each week (UTC)'],
              ['day', 'Each day (UTC)'],
              ['total', 'Never'],
            ]}
          />
          <TextField
            form={form}
            name="expires"
            label="Expires"
            isOptional
            type="datetime-local"
            help={`In ${zone}. Without it, never.`}
          />
          <SelectField
            form={form}
            name="mode"
            label="Mode"
            options={[
              ['live', 'Live'],
              ['test', 'Test: reaches no provider'],
            ]}
          />
        </div>
        <div>
          <CopyAs operation="keys.mint" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

function inputOf(values: {
  readonly endUserId: string
  readonly name: string
  readonly bundle: string
  readonly cap: string
  readonly capPeriod: string
  readonly expires: string
  readonly mode: string
}) {
  const capMicros = values.cap.trim() === '' ? null : microsOfText(values.cap)
  const expires = msOfLocal(values.expires)
  return {
    endUserId: values.endUserId.trim(),
    livemode: values.mode === 'live',
    ...(values.name.trim() !== '' && { name: values.name.trim() }),
    ...(values.bundle !== '' && { bundle: values.bundle }),
    ...(capMicros !== null && { capMicros, capPeriod: values.capPeriod as 'month' }),
    ...(Number.isFinite(expires) && { expiresAt: new Date(expires).toISOString() }),
  }
}
