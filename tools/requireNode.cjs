// Preloaded by the npm scripts that begin a command. On Linux, `npm ci` installs a Node that can run the code, from its
// platform packages, because the package `node` downloads it without a hash in the lockfile. Elsewhere, an older Node
// would print a stack trace about the extension .ts.

const { engines } = require('../package.json');

const [major, minor] = process.versions.node.split('.').map(Number);
// Later majors can run the tools too.
const [neededMajor, neededMinor] = engines.node.slice(1).split('.').map(Number);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(
    `This project needs Node ${neededMajor}.${neededMinor} or later, and this is Node ${process.versions.node} ` +
      `(${process.execPath}). Install it from https://nodejs.org, or with \`nvm install ${neededMajor}\`, and run the command again.`,
  );
  process.exit(1);
}
