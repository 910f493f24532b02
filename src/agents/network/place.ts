/** The proxy's two addresses: a socket in a folder outside the sandbox, a port on the sandbox's own loopback. */

/** Names the folder by its descriptor: a socket's path may have 107 bytes only. */
export function socketIn(folder: number): string {
  return `/proc/self/fd/${folder}/proxy`;
}

export const proxyPort = 3128;
