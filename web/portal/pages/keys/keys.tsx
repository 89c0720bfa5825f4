import { useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { useHasPassed } from '#web/ui/current-time-hooks.ts'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useAccount } from '#web/portal/account-and-plan-hooks.ts'
import { useAnswer } from '#web/portal/response-cache.ts'
import { brand } from '#web/portal/brand-in-document.ts'
import { Go, useSearch } from '#web/portal/portal-router.tsx'
import { useRows } from '#web/portal/paged-list-hook.ts'
import { client } from '#web/portal/end-user-session.ts'
import { List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'
import { MoreRows } from '#web/portal/ui/load-more-rows-button.tsx'
import { perText } from '#web/portal/time-and-count-text.ts'
import { MintKey } from './create-key-form.tsx'
import { ReplaceKey } from './replace-key-dialog.tsx'
import { RevokeKey } from './revoke-key-dialog.tsx'
import { unsavedKey } from './unsaved-secret.ts'

export default function Keys(): ReactNode {
  const account = useAccount()
  const rows = useRows('keys page', (part) => client.portal.keys(part))
  const [search, setSearch] = useSearch()
  const [revoked, setRevoked] = useState<types.PortalKey | null>(null)
  const [unsaved] = useState(unsavedKey)
  const [replaced, setReplaced] = useState<types.PortalKey | null>(null)
  // Receipts load the keys under the same name to show key names.
  useAnswer('keys', () => client.portal.keys({ limit: 200 }))
  const mayMint = account.value?.keys.mayMint ?? false
  return (
    <>
      <PageTitle
        title="Keys"
        about="Programs use a key to send requests that you pay for. Name each key so that you know which one to revoke."
        action={
          account.value && (
            <Button size="large" kind="primary" disabled={!mayMint} onClick={() => setSearch({ act: 'new' })}>
              Create key
            </Button>
          )
        }
      />
      {account.value && !mayMint && (
        <p className="mb-6 text-ink-2">
          You can't create keys here. <bdi>{brand.productName}</bdi> creates keys for you.
        </p>
      )}
      <Shown answer={rows} what="Your keys" rows={4}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="border-t border-line py-4 text-ink-2">
              No keys yet. {mayMint && 'Create a key to see how each client uses the key.'}
            </p>
          ) : (
            <>
              <List label="Keys">
                {keys.map((key) => (
                  <KeyRow
                    key={key.id}
                    of={key}
                    mayMint={mayMint}
                    isUnsaved={key.id === unsaved}
                    onReplace={() => setReplaced(key)}
                    onRevoke={() => setRevoked(key)}
                  />
                ))}
              </List>
              <MoreRows rows={rows} what="keys" />
            </>
          )
        }
      </Shown>
      {search.get('act') === 'new' && account.value && mayMint && (
        <MintKey rules={account.value.keys} onClose={() => setSearch({ act: null })} />
      )}
      {replaced && <ReplaceKey of={replaced} onClose={() => setReplaced(null)} />}
      {revoked && <RevokeKey of={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

function KeyRow({
  isUnsaved,
  mayMint,
  of: key,
  onReplace,
  onRevoke,
}: {
  readonly of: types.PortalKey
  readonly isUnsaved: boolean
  readonly mayMint: boolean
  readonly onReplace: () => void
  readonly onRevoke: () => void
}): ReactNode {
  const isOver = useHasPassed(key.expiresAt)
  const isGone = key.revokedAt !== null
  return (
    <Row className="flex-wrap items-center py-3">
      <span className={classNames('min-w-[min(14rem,100%)] flex-1', isGone && 'text-ink-2')}>
        <span className="block truncate font-medium" title={key.name}>
          <bdi>{key.name}</bdi>
        </span>
        <code className="block text-13 wrap-anywhere text-ink-2">
          {key.keyPrefix}…{key.lastFour}
        </code>
        <span className="block text-14 text-ink-2">
          {key.lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Used <When at={key.lastUsedAt} />
            </>
          )}
          {key.limits.map((limit) => (
            <span key={limitText(limit)}>
              {' · '}
              {limitText(limit)}: {limitAmountText(limit.measure, BigInt(limit.most))}
            </span>
          ))}
          {key.capMicros !== null && (
            <>
              {' · '}up to <Money micros={key.capMicros} /> {perText(key.capPeriod)}
            </>
          )}
          {key.expiresAt !== null && !isOver && !isGone && (
            <>
              {' · '}
              {key.replacedBy === null ? 'expires' : 'replaced, expires'} <When at={key.expiresAt} />
            </>
          )}
        </span>
        {isUnsaved && !isGone && !isOver && key.lastUsedAt === null && key.replacedBy === null && (
          <span className="block text-14">
            You left the page before you confirmed that this key is saved. The key can't be shown again. If
            you didn't save it, replace it.
          </span>
        )}
      </span>
      <span className="flex flex-wrap items-center gap-2">
        {isGone ? (
          <State tone="neutral" words="Revoked" />
        ) : isOver ? (
          <State tone="neutral" words={key.replacedBy === null ? 'Expired' : 'Replaced'} />
        ) : (
          <>
            <Go
              to={`/activity?key=${encodeURIComponent(key.id)}`}
              className="brand-text flex h-12 items-center px-2 text-14 underline"
            >
              Requests<span className="sr-only"> with {key.name}</span>
            </Go>
            {mayMint && key.replacedBy === null && (
              <Button size="large" onClick={onReplace}>
                Replace<span className="sr-only"> {key.name}</span>
              </Button>
            )}
            {key.mintedHere || mayMint ? (
              <Button size="large" onClick={onRevoke}>
                Revoke<span className="sr-only"> {key.name}</span>
              </Button>
            ) : (
              <span className="text-14 text-ink-2">Managed by {brand.productName}</span>
            )}
          </>
        )}
      </span>
    </Row>
  )
}
