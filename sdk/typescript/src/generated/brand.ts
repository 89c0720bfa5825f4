// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of brand.set: change the portal brand. */
export interface BrandSetInput {
  /** Product name that end users see. Null means the name of the application. 1 to 128 characters. */
  productName?: string | null | undefined
  /** Brand color, `#rrggbb`. */
  primaryColor?: string | undefined
  /** Email address where end users get help. Null if not set. At most 254 characters. */
  supportEmail?: string | null | undefined
  /** Web page where end users get help, http or https. Null if not set. At most 512 characters. */
  supportUrl?: string | null | undefined
  /**
   * Page where the application sells credit. Rejections for lack of money return it as `portalUrl`, and the
   * portal links to it. Null means the portal. At most 512 characters.
   */
  topUpUrl?: string | null | undefined
  /**
   * Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At most
   * 512 characters.
   */
  payUrl?: string | null | undefined
}

/** Of brand.logo: upload the portal logo. */
export interface BrandLogoInput {
  /** The file. */
  file: Blob | ArrayBuffer | Uint8Array
  /** Its media type; that of the Blob when left out. */
  type?: 'image/png' | 'image/jpeg' | 'image/webp' | undefined
}

/** The appearance of an application's portal. */
export class Brand {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the portal brand. Returns the name, color, logo and support contact of the portal, and the
   * readability of the color.
   *
   * GET /v1/brand
   */
  show(input?: Record<string, never>, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.show', method: 'GET', path: '/v1/brand' },
      input,
      options,
    )
  }

  /**
   * Change the portal brand. Changes the given fields and returns the brand. Omitted fields keep their
   * values, and null removes a value. The response has a warning if the contrast of the color to white is
   * below 4.5:1. The logo is uploaded with `brand.logo`.
   *
   * PATCH /v1/brand
   */
  set(input?: BrandSetInput, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.set', method: 'PATCH', path: '/v1/brand', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Upload the portal logo. Sets the logo of the portal. Send the file as the body, with its media type as
   * `Content-Type`.
   *
   * - The file must be a PNG, JPEG or WebP image of at most 512 KiB and 2000 pixels per side. Animated
   * images are rejected.
   * - Text, locations, color profiles and all other metadata are removed. Rotation by Exif data is ignored.
   * - SVG is rejected, because an SVG file can contain scripts and links.
   *
   * POST /v1/brand/logo
   */
  logo(input: BrandLogoInput, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.logo', method: 'POST', path: '/v1/brand/logo', body: 'file', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Delete the portal logo. Deletes the logo and returns the brand. The path of the logo then returns 404.
   *
   * DELETE /v1/brand/logo (an extension)
   * @throws ApiError not_found
   */
  removeLogo(input?: Record<string, never>, options?: CallOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.removeLogo', method: 'DELETE', path: '/v1/brand/logo' },
      input,
      options,
    )
  }
}
