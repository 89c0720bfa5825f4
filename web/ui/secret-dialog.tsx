/** A secret that was neither copied nor downloaded needs a confirmation before the dialog closes. */
import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { download } from './download.ts'
import { maskedSecret } from './masked-secret.ts'
import { Dialog } from './dialog-sheet-and-menu.tsx'

export function SecretDialog({
  about,
  children,
  fileName,
  fileText,
  onClose,
  secret,
  title,
}: {
  readonly title: ReactNode
  readonly about: ReactNode
  readonly secret: string
  readonly fileName: string
  readonly fileText: string
  readonly children?: ReactNode
  readonly onClose: () => void
}): ReactNode {
  const [isShown, setShown] = useState(false)
  return (
    <Dialog isOpen isFirm onClose={onClose} title={title} about={about}>
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2 rounded border border-edge bg-surface-2 p-2 pl-3">
          <code className="min-w-0 flex-1 text-13 wrap-anywhere" data-secret>
            {isShown ? secret : maskedSecret(secret)}
          </code>
          <Button size="small" kind="quiet" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </div>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label="Copy secret" words="Copy" />
          <Button onClick={() => download(fileName, fileText)}>Download {fileName}</Button>
        </div>
        {children}
        <p className="text-13 text-ink-2">Copy it now. You won't be able to see it again.</p>
        <div>
          <Button kind="primary" onClick={onClose}>
            I have saved it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
