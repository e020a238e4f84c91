// Preloaded by the npm scripts that begin a command. On Linux, `npm ci` installs a Node that can run the code, from its
// platform packages, because the package `node` downloads it without a hash in the lockfile. Elsewhere, an older Node
// would print a stack trace about the extension .ts.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// import.meta.main is new in 24.2.
if (major < 24 || (major === 24 && minor < 2)) {
  console.error(
    `This project needs Node 24.2 or later, and this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install it from https://nodejs.org, or with `nvm install 24`, and run the command again.',
  );
  process.exit(1);
}
