import { useRef, useState, type ReactNode } from 'react'
import type { Brand } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'

const bytesMax = 512 * 1024
const types = ['image/png', 'image/jpeg', 'image/webp']

export function LogoPart({
  may,
  onSaved,
  revised: {
    ifMatch,
    value: { logo },
  },
}: {
  readonly revised: Revised<Brand>
  readonly may: boolean
  readonly onSaved: () => Promise<void>
}): ReactNode {
  const file = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const upload = useChange('brand.logo')
  const remove = useChange('brand.removeLogo')
  const send = async (chosen: File): Promise<void> => {
    upload.reset()
    setFault(faultOf(chosen))
    if (faultOf(chosen) !== null) return
    try {
      await upload.mutateAsync({ file: chosen, ...ifMatch })
    } catch {
      return
    }
    toast('Logo saved')
    await onSaved()
  }
  return (
    <div className="flex flex-col gap-3">
      {logo && (
        <div className="flex flex-wrap items-center gap-4">
          <span className="rounded border border-line bg-surface-2 p-3">
            <img src={logo.path} alt="Logo" className="h-12 max-w-48 object-contain" height={48} />
          </span>
          <span className="figures text-13 text-ink-2">
            {logo.widthPx} x {logo.heightPx} pixels, {logo.mediaType.slice('image/'.length).toUpperCase()}
          </span>
        </div>
      )}
      {!logo && (
        <p className="text-13 text-ink-2">
          No logo yet. The portal shows the first letter of the product name on a square of the brand color.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={!may} isBusy={upload.isPending} onClick={() => file.current?.click()}>
          {logo ? 'Replace logo' : 'Upload logo'}
        </Button>
        {logo && (
          <Button kind="danger" disabled={!may} onClick={() => setRemoving(true)}>
            Remove logo
          </Button>
        )}
        <CopyAs operation="brand.logo" />
        <input
          ref={file}
          type="file"
          accept={types.join(',')}
          className="sr-only"
          tabIndex={-1}
          aria-label="Logo file"
          onChange={(event) => {
            const [chosen] = event.target.files ?? []
            if (chosen) void send(chosen)
            event.target.value = ''
          }}
        />
      </div>
      {fault !== null && (
        <p role="alert" className="text-13 text-negative">
          {fault}
        </p>
      )}
      <ChangedMeanwhile failure={upload.error} onReload={() => void onSaved().then(() => upload.reset())} />
      {upload.error && <FailureNote error={upload.error} title="The logo was not saved." />}
      <Confirm
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove the logo?"
        action="Remove logo"
        onConfirm={async () => {
          await remove.mutateAsync({})
          await onSaved()
        }}
      >
        <p>
          The portal shows the first letter of the product name instead, and the logo's URL stops working.
        </p>
        <p>Name, color and support contacts are kept. You can upload the logo again.</p>
      </Confirm>
    </div>
  )
}

function faultOf({ size, type }: File): string | null {
  if (!types.includes(type)) return 'The file is not a PNG, JPEG or WebP image. SVG files are not supported.'
  return size > bytesMax ? `The file is ${Math.ceil(size / 1024)} KiB. The maximum is 512 KiB.` : null
}
