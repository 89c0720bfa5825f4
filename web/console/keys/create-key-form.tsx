import { useState, type ReactNode } from 'react'
import { hourMs } from '#money/periods-and-windows.ts'
import type { MintedKey } from '#sdk/generated/types.ts'
import { MoneyField, moneyFault, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText } from '#web/ui/money-text.ts'
import { realNow, useNow } from '#web/ui/current-time-hooks.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import { useBundleOptions } from '../bundle-options.ts'
import { useSendOnce } from '../credit/send-once.ts'
import { useChange } from '../operations/use-operation.ts'
import { EndUserField } from '../end-user-field.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { msOfLocal } from '../local-time-fields.ts'
import { resetPeriods } from '../reset-period-options.ts'
import { useScope } from '../application-and-mode.ts'
import { KeySecret } from './key-secret-shown-once.tsx'

export function MintKey({
  endUserId = '',
  onClose,
}: {
  readonly endUserId?: string
  readonly onClose: () => void
}): ReactNode {
  const { mode } = useScope()
  const mint = useChange('keys.mint')
  const [minted, setMinted] = useState<{
    readonly minted: MintedKey
    readonly endUserId: string
  } | null>(null)
  const { sendOnce } = useSendOnce(`new key ${endUserId}`, false)
  const bundles = useBundleOptions()
  const zone = zoneText(useNow(hourMs))
  const form = useForm({
    draft: endUserId === '' ? 'new key' : null,
    initial: {
      endUserId,
      name: '',
      bundle: '',
      cap: '',
      capPeriod: 'month',
      expires: '',
      tags: '',
      mode: mode,
    },
    check: ({ cap, endUserId: who, expires }) => ({
      ...(who.trim() === '' && { endUserId: 'Enter an end user ID.' }),
      ...(cap.trim() !== '' && moneyFault(cap) !== undefined && { cap: moneyFault(cap) ?? '' }),
      ...(expires !== '' && !(msOfLocal(expires) > realNow()) && { expires: 'Choose a time in the future.' }),
    }),
    fieldOf: { capMicros: 'cap', tags: 'tags', expiresAt: 'expires', livemode: 'mode' },
    async send(values) {
      const key = await sendOnce((repeatKey) => mint.mutateAsync({ ...inputOf(values), repeatKey }))
      setMinted({ minted: key, endUserId: values.endUserId.trim() })
    },
  })
  if (minted) return <KeySecret {...minted} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title="Create key"
      about="The key spends the balance of one end user. Its secret is shown once, after the key is created."
      form={form}
      action={`Create ${form.values.mode} key`}
      busyAction="Creating"
      operation="keys.mint"
      input={inputOf(form.values)}
    >
      {endUserId === '' ? (
        <EndUserField form={form} name="endUserId" label="End user" />
      ) : (
        <p className="text-14">
          End user: <bdi className="font-medium wrap-anywhere">{endUserId}</bdi>
        </p>
      )}
      <TextField
        form={form}
        name="name"
        label="Name"
        isOptional
        help="Where the key is used, for example laptop or ci."
        maxLength={128}
      />
      <SelectField
        form={form}
        name="bundle"
        label="Bundle"
        isOptional
        help="Puts the end user on this bundle. All keys of the end user can then use the models of this bundle."
        options={[
          [
            '',
            endUserId === ''
              ? 'Keep the current bundle (new end users get the default bundle)'
              : 'Keep the current bundle',
          ],
          ...bundles,
        ]}
      />
      <TextField
        form={form}
        name="tags"
        label="Tags"
        isOptional
        help="Enter tags of the application, separated by commas. Each request with the key gets these tags. The tags can't be changed later."
      />
      <div className="grid gap-4 phone:grid-cols-2">
        <MoneyField
          form={form}
          name="cap"
          label="Cap"
          isOptional
          help="Maximum spend per period. Leave empty for no cap."
        />
        <SelectField form={form} name="capPeriod" label="Resets" options={resetPeriods} />
        <TextField
          form={form}
          name="expires"
          label="Expires"
          isOptional
          type="datetime-local"
          help={`Time in ${zone}. Leave empty if the key doesn't expire.`}
        />
        <SelectField
          form={form}
          name="mode"
          label="Mode"
          options={[
            ['live', 'Live'],
            ['test', 'Test (no provider is called)'],
          ]}
        />
      </div>
    </FormDialog>
  )
}

function inputOf(values: {
  readonly endUserId: string
  readonly name: string
  readonly bundle: string
  readonly cap: string
  readonly capPeriod: string
  readonly expires: string
  readonly tags: string
  readonly mode: string
}) {
  const capMicros = values.cap.trim() === '' ? null : microsOfText(values.cap)
  const expires = msOfLocal(values.expires)
  const tags = [...new Set(values.tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
  return {
    endUserId: values.endUserId.trim(),
    livemode: values.mode === 'live',
    ...(values.name.trim() !== '' && { name: values.name.trim() }),
    ...(values.bundle !== '' && { bundle: values.bundle }),
    ...(tags.length > 0 && { tags }),
    ...(capMicros !== null && { capMicros, capPeriod: values.capPeriod as 'month' }),
    ...(Number.isFinite(expires) && { expiresAt: new Date(expires).toISOString() }),
  }
}
