import { useState, type ReactNode } from 'react'
import {
  FormBody,
  MoneyField,
  moneyFault,
  SelectField,
  TextAreaField,
  TextField,
  useForm,
} from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/values.tsx'
import { useBundleOptions } from '../../bundle-options.ts'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { noSpan, SpanFields, spanFaults } from '../../credit/credit-span.tsx'
import { newKey } from '../../credit/new-key.ts'
import { useFoundUser } from '../../find-user.ts'
import { useUserSuggestions } from '../../user-suggestions.ts'
import { idsOf, inputOf, type GrantForm } from './grant-input.ts'

/** Grants the same amount to one end user, several, all on a bundle, or all. */
export function IssueGrant({ onClose }: { readonly onClose: () => void }): ReactNode {
  const issue = useChange('grants.issue', { touches: ['users'] })
  const [idempotencyKey] = useState(newKey)
  const bundles = useBundleOptions()
  const form = useForm<GrantForm>({
    draft: 'new grant',
    initial: { to: 'one', one: '', many: '', bundle: '', amount: '', reason: '', ...noSpan },
    check: checked,
    fieldOf: { amountUnits: 'amount', startsAt: 'starts', expiresAt: 'expires' },
    async send(values) {
      const { amountUnits, done, endUsers } = await issue.mutateAsync(inputOf(values, idempotencyKey))
      toast(
        done === endUsers
          ? `${moneyText(amountUnits)} is with ${endUsers === 1 ? 'one person' : `${endUsers} people`}.`
          : `${done} of ${endUsers} people have ${moneyText(amountUnits)}; the others get it now.`,
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
    one: one.trim() || 'one person',
    many: `${people} people`,
    bundle: 'everybody on it',
    everyone: 'everybody',
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Grant credit"
      about="Money for wallets, from the next call on. It cannot be taken back here."
    >
      <FormBody
        form={form}
        action={
          <span className="max-w-72 truncate">
            Grant {isAmount ? moneyText(micros) : 'credit'} to <bdi>{who[to as 'one']}</bdi>
          </span>
        }
        busyAction="Granting"
        onCancel={onClose}
      >
        <SelectField
          form={form}
          name="to"
          label="To"
          options={[
            ['one', 'One person'],
            ['many', 'Several people'],
            ['bundle', 'Everybody on a bundle'],
            ['everyone', 'Everybody in the application'],
          ]}
        />
        {to === 'one' && (
          <TextField form={form} name="one" label="End user" suggestions={suggestions} maxLength={256} />
        )}
        {to === 'many' && (
          <TextAreaField form={form} name="many" label="End users" isMono help="Their ids, one a line." />
        )}
        {to === 'bundle' && (
          <SelectField
            form={form}
            name="bundle"
            label="Bundle"
            help="Who is on it now."
            options={[['', 'Choose one'], ...bundles]}
          />
        )}
        <MoneyField form={form} name="amount" label="Amount" per="each" />
        <TextField
          form={form}
          name="reason"
          label="Reason"
          help="They read it in their portal."
          maxLength={256}
        />
        <SpanFields form={form} />
        {isAmount && to === 'one' && one.trim() !== '' && <Result externalId={one.trim()} micros={micros} />}
        {isAmount && to === 'many' && people > 0 && (
          <p className="text-14">
            In all <Money micros={BigInt(micros) * BigInt(people)} />
          </p>
        )}
        <div>
          <CopyAs operation="grants.issue" input={inputOf({ ...form.values, bundle }, idempotencyKey)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

/** The balance of somebody who is there, and what it will be. */
function Result({ externalId, micros }: { readonly externalId: string; readonly micros: string }): ReactNode {
  const found = useFoundUser(externalId)
  if (found === null) return <p className="text-14 text-held">There is nobody of that id.</p>
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

function checked({ amount, bundle, many, one, reason, to, ...span }: GrantForm): Record<string, string> {
  const fault = moneyFault(amount, { least: 1n })
  return {
    ...(to === 'one' && one.trim() === '' && { one: 'Write whom it is for.' }),
    ...(to === 'many' && idsOf(many).length === 0 && { many: 'Write at least one id.' }),
    ...(to === 'many' && idsOf(many).length > 10_000 && { many: 'The most at once is 10,000 people.' }),
    ...(to === 'bundle' && bundle === '' && { bundle: 'Choose a bundle.' }),
    ...(fault !== undefined && { amount: fault }),
    ...(reason.trim() === '' && { reason: 'Write why; it stands on their ledgers.' }),
    ...spanFaults(span),
  }
}
