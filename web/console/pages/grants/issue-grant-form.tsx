import type { ReactNode } from 'react'
import { MoneyField, moneyFault, SelectField, TextAreaField, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useBundleOptions } from '../../bundle-options.ts'
import { useChange } from '../../operations/use-operation.ts'
import { noSpan, SpanFields, spanFaults, startsNow } from '../../credit/start-and-expiry-fields.tsx'
import { useSendOnce } from '../../credit/send-once.ts'
import { reasonHelp, reasonMissing } from '../../help-and-errors-of-fields.ts'
import { noSuchUser, useFoundUser } from '../../find-end-user.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { useUserSuggestions } from '../../end-user-suggestions.ts'
import { idsOf, inputOf, type GrantForm } from './input-of-grant-form.ts'

export function IssueGrant({ onClose }: { readonly onClose: () => void }): ReactNode {
  const issue = useChange('grants.issue')
  const { idempotencyKey, sendOnce } = useSendOnce(draft)
  const bundles = useBundleOptions()
  const nowMs = useNow(30_000)
  const form = useForm<GrantForm>({
    draft,
    initial: { to: 'one', one: '', many: '', bundle: '', amount: '', reason: '', ...noSpan },
    check: (values) => checked(values, nowMs),
    fieldOf: { amountUnits: 'amount', startsAt: 'starts', expiresAt: 'expires' },
    async send(values) {
      const { amountUnits, done, endUsers } = await sendOnce((key) => issue.mutateAsync(inputOf(values, key)))
      toast(
        done === endUsers
          ? `Granted ${moneyText(amountUnits)} to ${countWords(endUsers)}`
          : `Granted ${moneyText(amountUnits)} to ${done} of ${endUsers} end users. The remaining end users get their credit shortly.`,
      )
      onClose()
    },
  })
  const { amount, bundle, many, one, to } = form.values
  const suggestions = useUserSuggestions(one)
  const micros = microsOfText(amount)
  const isAmount = micros !== null && BigInt(micros) > 0n
  const people = idsOf(many).length
  const who = {
    one: one.trim() || 'an end user',
    many: countWords(people),
    bundle: 'all end users on the bundle',
    everyone: 'all end users',
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Grant credit"
      about="Adds free credit to wallets. To take back unspent credit, reverse the grant."
      form={form}
      action={
        <span className="max-w-72 truncate">
          Grant {isAmount ? moneyText(micros) : 'credit'} to <bdi>{who[to as 'one']}</bdi>
        </span>
      }
      busyAction="Granting"
      operation="grants.issue"
      input={inputOf({ ...form.values, bundle }, idempotencyKey)}
    >
      <SelectField
        form={form}
        name="to"
        label="To"
        options={[
          ['one', 'A single end user'],
          ['many', 'Several end users'],
          ['bundle', 'All end users on a bundle'],
          ['everyone', 'All end users of the application'],
        ]}
      />
      {to === 'one' && (
        <TextField form={form} name="one" label="End user" suggestions={suggestions} maxLength={256} />
      )}
      {to === 'many' && (
        <TextAreaField
          form={form}
          name="many"
          label="End users"
          isMono
          help="Enter one end user ID per line."
        />
      )}
      {to === 'bundle' && (
        <SelectField
          form={form}
          name="bundle"
          label="Bundle"
          help="Credit is granted to all end users who are on the bundle now."
          options={[['', 'Choose a bundle'], ...bundles]}
        />
      )}
      <MoneyField form={form} name="amount" label="Amount" per="each" />
      <TextField form={form} name="reason" label="Reason" help={reasonHelp} maxLength={256} />
      <SpanFields form={form} />
      {isAmount && to === 'one' && one.trim() !== '' && startsNow(form.values, nowMs) && (
        <Result externalId={one.trim()} micros={micros} />
      )}
      {isAmount && to === 'many' && people > 0 && (
        <p className="text-14">
          Total <Money micros={BigInt(micros) * BigInt(people)} />
        </p>
      )}
    </FormDialog>
  )
}

function Result({ externalId, micros }: { readonly externalId: string; readonly micros: string }): ReactNode {
  const found = useFoundUser(externalId)
  if (found === null) return <p className="text-14 text-held">{noSuchUser}</p>
  if (found === undefined) return null
  const { balanceUnits } = found.balance
  return (
    <p className="text-14" aria-live="polite">
      Balance: <Money micros={balanceUnits} /> →{' '}
      <span data-preview>
        <Money micros={BigInt(balanceUnits) + BigInt(micros)} className="font-medium" />
      </span>
    </p>
  )
}

const draft = 'new grant'

function countWords(people: number): string {
  return people === 1 ? '1 end user' : `${people} end users`
}

function checked(
  { amount, bundle, many, one, reason, to, ...span }: GrantForm,
  nowMs: number,
): Record<string, string> {
  const fault = moneyFault(amount, { least: 1n })
  return {
    ...(to === 'one' && one.trim() === '' && { one: 'Enter an end user ID.' }),
    ...(to === 'many' && idsOf(many).length === 0 && { many: 'Enter at least one end user ID.' }),
    ...(to === 'many' && idsOf(many).length > 10_000 && { many: 'Enter at most 10,000 end user IDs.' }),
    ...(to === 'bundle' && bundle === '' && { bundle: 'Choose a bundle.' }),
    ...(fault !== undefined && { amount: fault }),
    ...(reason.trim() === '' && { reason: reasonMissing }),
    ...spanFaults(span, nowMs),
  }
}
