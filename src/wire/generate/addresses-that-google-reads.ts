/**
 * Whether Google reads the address without the rights of the provider account. With these rights, Google could read a
 * file that does not belong to the end user. Google uses these rights at its own services, except for its public
 * storage.
 */
export function isPublic({ hostname, protocol }: URL): boolean {
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && (!ofGoogle.test(hostname) || publicStorage.test(hostname))
}

/** Google reads a video from such an address, whatever media type the request states. */
export function isYoutube({ hostname }: URL): boolean {
  return youtube.test(hostname)
}

const ofGoogle = /(?:^|\.)(?:googleapis|googleusercontent|google)\.com\.?$/
const publicStorage = /^(?:[a-z0-9._-]+\.)?storage\.googleapis\.com$/
const youtube = /(?:^|\.)(?:youtube\.com|youtu\.be|youtube-nocookie\.com)\.?$/
