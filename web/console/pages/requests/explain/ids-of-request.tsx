import type { ReactNode } from 'react'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Id } from '#web/ui/formatted-values.tsx'
import { Go, UserLink } from '../../../shell/console-links.tsx'
import type { Told } from './waterfall-phases.ts'

export function Ids({ told }: { readonly told: Told }): ReactNode {
  const { auth, endUserId, id, keyId, quote, reserve } = told
  const copied = (text: string | null | undefined, label: string): ReactNode =>
    typeof text === 'string' && (
      <span className="flex min-w-0 items-center gap-1">
        <Id text={text} />
        <CopyButton text={text} label={`Copy: ${label}`} />
      </span>
    )
  const facts = (
    [
      ['Request', copied(id, 'request')],
      ['Hold', copied(reserve?.holdId, 'hold')],
      ['End user', endUserId !== null && <UserLink key="user" id={endUserId} />],
      ['End user ID', copied(auth?.endUserId, 'end user')],
      [
        'Key',
        keyId !== null && (
          <Go key="key" to="/keys" search={{ open: keyId }}>
            <bdi>{typeof auth?.keyName === 'string' && auth.keyName !== '' ? auth.keyName : keyId}</bdi>
          </Go>
        ),
      ],
      ['Key ID', copied(keyId, 'key')],
      ['Key prefix', copied(auth?.keyPrefix, 'key prefix')],
      ['Quote ID', copied(quote?.quoteId, 'quote')],
    ] as const
  ).map(([name, value]) => (value === false ? null : ([name, value] as const)))
  return <Facts className="max-w-prose" facts={facts} />
}
