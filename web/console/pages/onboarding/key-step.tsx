import type { ReactNode } from 'react'
import { steps } from '#cli/operations/recipe-of-first-request.ts'
import type { GrantsIssueInput, KeysMintInput } from '#sdk/generated/operations.ts'
import { FormBody, moneyFault, MoneyField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { EndUserField } from '../../end-user-field.tsx'
import { useScope } from '../../application-and-mode.ts'
import { holdFirstKey } from './first-key-in-memory.ts'
import type { StepProps } from './setup-step-props.ts'

export function KeyStep({ onDone }: StepProps): ReactNode {
  const { mode } = useScope()
  const mint = useChange('keys.mint')
  const grant = useChange('grants.issue')
  const form = useForm({
    draft: 'first key',
    initial: { endUserId: 'user-1', amount: '5' },
    check({ amount, endUserId }) {
      const fault = moneyFault(amount)
      return {
        ...(endUserId.trim() === '' && { endUserId: 'Enter the ID of the end user in your product.' }),
        ...(fault !== undefined && { amount: fault }),
      }
    },
    async send(values) {
      const { endUserId, livemode } = mintOf(values, mode)
      const minted = await mint.mutateAsync({ endUserId, livemode })
      // The key cannot be shown later, so show it even if the grant fails.
      const held = { key: minted.key, endUserId, grantError: null }
      holdFirstKey(held)
      if (grantOf(values).amountUnits !== '0') {
        // The step is done now and hides this form, so the dialog with the key reports a failed grant.
        await grant
          .mutateAsync(grantOf(values))
          .then(onDone, (grantError: unknown) => holdFirstKey({ ...held, grantError }))
      } else onDone()
    },
  })
  const micros = microsOfText(form.values.amount)
  return (
    <FormBody
      form={form}
      action={micros === null || micros === '0' ? 'Create key' : `Create key and grant ${moneyText(micros)}`}
    >
      <div className="grid gap-4 phone:grid-cols-2">
        <EndUserField form={form} name="endUserId" label="End user" />
        <MoneyField
          form={form}
          name="amount"
          label="Credit"
          help={
            mode === 'test'
              ? 'Test credit, granted to the end user’s wallet.'
              : 'Granted to the end user’s wallet.'
          }
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <CopyAs operation="keys.mint" input={mintOf(form.values, mode)} />
        <CopyAs
          operation="grants.issue"
          input={grantOf(form.values)}
          words="API request to grant the credit"
        />
      </div>
    </FormBody>
  )
}

function mintOf({ endUserId }: { endUserId: string }, mode: string): KeysMintInput {
  return steps.key({ endUserId: endUserId.trim(), livemode: mode === 'live' }).input
}

function grantOf({ amount, endUserId }: { endUserId: string; amount: string }): GrantsIssueInput {
  return steps.credit(endUserId.trim(), {
    amountUnits: microsOfText(amount) ?? '0',
    reason: 'Getting started',
  }).input
}
