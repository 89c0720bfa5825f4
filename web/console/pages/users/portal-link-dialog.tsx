import { useState, type ReactNode } from 'react'
import type { PortalLinkOutput } from '#sdk/generated/portal.ts'
import type { EndUser } from '#sdk/generated/types.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'

export function PortalDialog({
  onClose,
  user,
}: {
  readonly user: EndUser
  readonly onClose: () => void
}): ReactNode {
  const make = useChange('portal.link')
  const [link, setLink] = useState<PortalLinkOutput | null>(null)
  const [isOpened, setOpened] = useState(false)
  const [mayChange, setMayChange] = useState(false)
  const input = { endUserId: user.externalId, access: mayChange ? ('write' as const) : ('read' as const) }
  const url = link?.localUrl ?? link?.url
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Portal of <bdi>{user.externalId}</bdi>
        </>
      }
      about="You see the portal as the end user does. A banner in the portal and the audit log show your name."
    >
      <div className="flex flex-col gap-4">
        {make.error && <FailureNote error={make.error} />}
        {link === null || url === undefined ? (
          <div className="flex flex-col gap-4">
            <label className="flex items-center gap-2 text-14">
              <input
                type="checkbox"
                checked={mayChange}
                onChange={(event) => setMayChange(event.target.checked)}
              />
              Allow changes on behalf of the end user
            </label>
            <div className="flex flex-wrap items-center gap-2">
              <Button
                kind="primary"
                isBusy={make.isPending}
                onClick={() => void make.mutateAsync(input).then(setLink, () => null)}
              >
                Create portal link
              </Button>
              <CopyAs operation="portal.link" input={input} />
            </div>
          </div>
        ) : isOpened ? (
          <Note tone="positive" title="The portal was opened">
            <p className="text-ink-2">
              This link has already been used. Create a new link to open the portal again.
            </p>
          </Note>
        ) : (
          <>
            <p className="text-14 text-ink-2">
              The link works once and expires <When at={link.expiresAt} />. Anyone who has the link can sign
              in.
            </p>
            <div className="flex flex-wrap items-center gap-2">
              <a
                className={buttonClass('primary')}
                href={url}
                target="_blank"
                rel="noreferrer"
                onClick={() => setOpened(true)}
              >
                Open portal
              </a>
              <CopyButton text={url} label="Copy link" words="Copy link" />
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
