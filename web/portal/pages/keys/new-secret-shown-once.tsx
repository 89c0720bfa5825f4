import { useEffect, useState, type ReactNode } from 'react'
import { clientSnippets, keyFile } from '#sdk/client-snippets.ts'
import { gatewayOf } from '#sdk/clients.ts'
import type { types } from '#sdk/portal.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { download } from '#web/ui/download.ts'
import { maskedSecret } from '#web/ui/masked-secret.ts'
import { useModels } from '#web/portal/available-models-hook.ts'
import { SnippetTabs } from '#web/portal/snippet-tabs.tsx'
import { Modal } from '#web/portal/ui/modal.tsx'
import { forgetUnsaved, keepUnsaved } from './unsaved-secret.ts'

export function NewSecret({
  about,
  of,
  onClose,
}: {
  readonly of: types.MintedKey
  readonly about?: ReactNode
  readonly onClose: () => void
}): ReactNode {
  const [isShown, setShown] = useState(false)
  useEffect(() => keepUnsaved(of.id), [of.id])
  const models = useModels()
  const gateway = models.value && gatewayOf(models.value)
  return (
    <Modal
      isFirm
      title={
        <>
          Save your key <bdi>{of.name}</bdi>
        </>
      }
      about={<>Copy it now. You won't be able to see it again. {about}</>}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2 rounded border border-edge bg-surface-2 p-1 pl-3">
          <code className="min-w-0 flex-1 text-14 wrap-anywhere" data-secret>
            {isShown ? of.key : maskedSecret(of.key)}
          </code>
          <Button size="large" kind="quiet" onClick={() => setShown(!isShown)} aria-pressed={isShown}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </div>
        <div className="large-actions flex flex-wrap gap-2">
          <CopyButton text={of.key} label="Copy key" words="Copy key" />
          {gateway !== undefined && (
            <Button onClick={() => download('.env', keyFile({ gateway, key: of.key }))}>Download .env</Button>
          )}
        </div>
        {gateway !== undefined && (
          <SnippetTabs
            mask={(text) => (isShown ? text : text.replaceAll(of.key, maskedSecret(of.key)))}
            snippets={clientSnippets({
              gateway,
              key: of.key,
              model: models.value?.models[0]?.requestedModel ?? 'a model of your plan',
            })}
          />
        )}
        <Button
          size="large"
          kind="primary"
          onClick={() => {
            forgetUnsaved()
            onClose()
          }}
        >
          I have saved it
        </Button>
      </div>
    </Modal>
  )
}
