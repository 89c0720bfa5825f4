import type { ReactNode } from 'react'

function icon(path: ReactNode) {
  return function Icon({ className = 'size-5' }: { readonly className?: string }): ReactNode {
    return (
      <svg
        viewBox="0 0 20 20"
        className={className}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
      >
        {path}
      </svg>
    )
  }
}

export const HomeIcon = icon(<path d="M3 9l7-6 7 6v8h-5v-5H8v5H3z" />)
export const UsageIcon = icon(<path d="M3 17h14M5 17v-5M10 17V4M15 17V8" />)
export const ActivityIcon = icon(<path d="M5 3h10v14l-2.5-1.5L10 17l-2.500-1.500L5 17zM8 7h4M8 10.500h4" />)
export const KeyIcon = icon(
  <>
    <circle cx="6.500" cy="13.500" r="3.500" />
    <path d="M9 11l7.500-7.500M13 7l2.500 2.500" />
  </>,
)
export const MoreIcon = icon(<path d="M3 5h14M3 10h14M3 15h14" />)
