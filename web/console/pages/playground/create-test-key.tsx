/** The key has a small cap and is kept in memory only. */
import { useState, type ReactNode } from 'react'
import { dayMs } from '#money/periods-and-windows.ts'
import { Button } from '#web/ui/button.tsx'
import { realNow } from '#web/ui/current-time-hooks.ts'
import { FormBody, MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { useUserSuggestions } from '../../end-user-suggestions.ts'

export function MintKey({ onMinted }: { readonly onMinted: (key: string) => void }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const may = useMay('developer')
  return (
    <>
      <Button
        onClick={() => setOpen(true)}
        disabled={!may}
        title={may ? undefined : 'Creating keys requires the developer role.'}
      >
        Create test key
      </Button>
      {isOpen && (
        <MintDialog
          onClose={() => setOpen(false)}
          onMinted={(key) => {
            setOpen(false)
            onMinted(key)
          }}
        />
      )}
    </>
  )
}

function MintDialog({
  onClose,
  onMinted,
}: {
  readonly onClose: () => void
  readonly onMinted: (key: string) => void
}): ReactNode {
  const mint = useChange('keys.mint')
  const form = useForm({
    draft: null,
    initial: { user: '', cap: '1' },
    check: ({ cap, user }) => {
      const capFault = moneyFault(cap, { least: 1n })
      return {
        ...(user.trim() === '' && { user: 'Enter the end user whose balance the key spends.' }),
        ...(capFault !== undefined && { cap: capFault }),
      }
    },
    fieldOf: { endUserId: 'user', capMicros: 'cap' },
    send: async (values) => {
      const { key } = await mint.mutateAsync(inputOf(values))
      onMinted(key)
    },
  })
  const micros = microsOfText(form.values.cap)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create test key"
      about="The key spends the test balance of one end user and expires tomorrow. The key is kept only on this page."
    >
      <FormBody
        form={form}
        action={`Create test key${micros === null ? '' : ` with a ${moneyText(micros)} cap`}`}
        busyAction="Creating"
        onCancel={onClose}
      >
        <TextField
          form={form}
          name="user"
          label="End user"
          help="Your ID for the end user. A new ID creates a new end user."
          suggestions={useUserSuggestions(form.values.user)}
        />
        <MoneyField form={form} name="cap" label="Spending cap" />
      </FormBody>
      <div className="mt-3">
        <CopyAs operation="keys.mint" input={inputOf(form.values)} />
      </div>
    </Dialog>
  )
}

function inputOf({ cap, user }: { readonly user: string; readonly cap: string }) {
  return {
    endUserId: user.trim(),
    name: 'playground',
    livemode: false,
    capPeriod: 'total' as const,
    capMicros: microsOfText(cap) ?? '0',
    expiresAt: new Date(Math.ceil(realNow() / dayMs) * dayMs + dayMs).toISOString(),
  }
}
