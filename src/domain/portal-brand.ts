export interface Brand {
  /** Null means the name of the application. */
  readonly productName: string | null
  /** The accent color, as `#rrggbb` in lower case. */
  readonly primaryColor: string
  readonly supportEmail: string | null
  readonly supportUrl: string | null
  readonly topUpUrl: string | null
  readonly payUrl: string | null
  readonly logo: LogoFacts | null
}

export interface LogoFacts {
  /** SHA-256 of the image bytes, in lower-case hex. URLs use the hash as the logo's name. */
  readonly hash: string
  readonly mediaType: LogoType
  readonly widthPx: number
  readonly heightPx: number
}

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type LogoType = (typeof logoTypes)[number]

export interface LogoFile {
  readonly mediaType: LogoType
  readonly bytes: Uint8Array
}

export const defaultBrand: Brand = {
  productName: null,
  primaryColor: '#1f2937',
  supportEmail: null,
  supportUrl: null,
  topUpUrl: null,
  payUrl: null,
  logo: null,
}

export interface Brands {
  /** Returns `defaultBrand` if the application has not set its own brand. */
  of(applicationId: string): Promise<Brand>
  /** Replaces everything in the brand except the logo. */
  put(applicationId: string, brand: Omit<Brand, 'logo'>): Promise<void>
  putLogo(applicationId: string, logo: LogoFacts, bytes: Uint8Array): Promise<void>
  removeLogo(applicationId: string): Promise<void>
  /** @param applicationId the application that the logo must belong to; null means any application */
  logo(hash: string, applicationId: string | null): Promise<LogoFile | null>
}
