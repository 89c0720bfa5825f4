/** The real page cannot be framed: it needs an end user's session, and the portal's policy forbids frames. */
import './portal-preview.css'
import { useState, type CSSProperties, type ReactNode } from 'react'
import { initialOf } from '#web/ui/first-letter-of-name.ts'
import { brandColors } from '#operations/brand/shared/readable-brand-colors.ts'
import type { Brand } from '#sdk/generated/types.ts'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'

export type Look = Pick<Brand, 'productName' | 'primaryColor' | 'logo'>

type Theme = 'light' | 'dark'

export function PortalPreview({ look }: { readonly look: Look }): ReactNode {
  const [theme, setTheme] = useState<Theme>('light')
  const colors = brandColors(look.primaryColor)[theme]
  const style = {
    '--color-accent': colors.fill,
    '--color-accent-ink': colors.ink,
    '--preview-text': colors.text,
  } as CSSProperties
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label="Theme of the preview"
        value={theme}
        options={[
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={setTheme}
      />
      <figure
        inert
        aria-label={`Portal of ${look.productName}, ${theme} theme`}
        data-preview={theme}
        style={style}
        className="w-full max-w-[24.375rem] overflow-hidden rounded border border-edge bg-surface text-16 text-ink"
      >
        <Home look={look} />
      </figure>
    </div>
  )
}

const days = [3, 5, 4, 7, 6, 2, 1, 5, 8, 6, 7, 9, 4, 2, 6, 8, 10, 7, 9, 5, 3, 8, 9, 11, 10, 12, 6, 4, 9, 10]

/** The texts equal the portal's texts (tests/long/pages/application-brand-and-settings-pages.test.ts compares them). */
function Home({ look }: { readonly look: Look }): ReactNode {
  return (
    <>
      <div className="flex h-16 items-center gap-3 px-4">
        <Logo look={look} />
      </div>
      <div className="px-4 pt-2 pb-6">
        <p className="text-ink-2">Balance</p>
        <p className="figures text-40 font-semibold tracking-tight">$18.40</p>
        <p className="mt-1 text-ink-2">
          Lasts about 9 days at this pace: $2.04 a day, the average of the last 7 days
        </p>
        <p className="mt-6 font-semibold">Last 30 days</p>
        <svg viewBox="0 0 300 64" className="mt-2 w-full" aria-hidden>
          {days.map((height, at) => (
            <rect
              // oxlint-disable-next-line react/no-array-index-key -- a day is its place
              key={at}
              x={at * 10}
              y={60 - height * 4.5}
              width="7"
              height={height * 4.5}
              fill="var(--color-accent)"
            />
          ))}
        </svg>
        <div className="mt-4 flex items-center justify-between gap-4 border-y border-line py-3">
          <span className="font-semibold">On-demand billing</span>
          <span className="inline-flex h-6 w-11 shrink-0 justify-end rounded-full bg-accent p-0.5">
            <span className="size-5 rounded-full bg-surface" />
          </span>
        </div>
        <div className="mt-4 flex items-center justify-between gap-4 border-b border-line pb-2">
          <span className="font-semibold">Latest requests</span>
          <span className="text-14 text-(--preview-text) underline">All requests</span>
        </div>
        <div className="flex justify-between gap-4 py-3">
          <span data-sample>your-model</span>
          <span className="figures">$0.0021</span>
        </div>
        <div className="mt-2 flex flex-wrap items-center gap-4">
          <span className="inline-flex h-12 items-center rounded bg-accent px-4 font-medium text-accent-ink">
            Create key
          </span>
        </div>
      </div>
      <div className="grid grid-cols-5 border-t border-line text-center text-12">
        {['Home', 'Usage', 'Activity', 'Keys', 'More'].map((words, at) => (
          <span
            key={words}
            className={at === 0 ? 'py-4 font-semibold text-(--preview-text)' : 'py-4 text-ink-2'}
          >
            {words}
          </span>
        ))}
      </div>
    </>
  )
}

function Logo({ look: { logo, productName } }: { readonly look: Look }): ReactNode {
  return (
    <>
      {logo ? (
        <img src={logo.path} alt="" className="h-8 max-w-32 shrink-0 object-contain" height={32} />
      ) : (
        <span className="grid size-8 shrink-0 place-items-center rounded bg-accent font-semibold text-accent-ink">
          {initialOf(productName)}
        </span>
      )}
      <bdi className="truncate font-semibold" title={productName}>
        {productName}
      </bdi>
    </>
  )
}
