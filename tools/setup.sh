# Sourced by ./serve, ./test and ./leasehold: finds or installs what they need, once, and says what it does.
# Everything that is built or fetched lands in $LEASEHOLD_CACHE, outside the checkout, so that a second
# clone (or a second run without a network) finds it ready.
#
# Needs beforehand: bash, node 18 or newer with npm, and Rust (rustup or a distribution's cargo).

LEASEHOLD_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
LEASEHOLD_CACHE="${LEASEHOLD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/leasehold}"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$LEASEHOLD_CACHE/target}"
WASM=wasm32-unknown-unknown
MIN_RUST=1.96.0 # what the interpreter's parser asks for
TRUNK_VERSION=0.21.14
NEXTEST_VERSION=0.9.143
STD_PACKAGES="rustc-web cargo-web rust-web-src rust-web-clippy lld-19"

say()  { printf '\033[1m· %s\033[0m\n' "$*"; }
fail() { printf '\033[1;31m✗ %s\033[0m\n' "$1" >&2; shift; for l in "$@"; do printf '  %s\n' "$l" >&2; done; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# step "what it does (and how long the first time)" command...: the command's output goes to a log that is
# shown only when it fails.
step() {
  local what="$1"; shift
  local log="$LEASEHOLD_CACHE/log/$(date +%s)-$RANDOM.log" t0=$SECONDS
  mkdir -p "${log%/*}"
  say "$what"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "That failed: $what" "The whole output is in $log"
  fi
  say "  done in $((SECONDS - t0)) s"
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_install() {
  have apt-get || return 1
  [ "$(id -u)" = 0 ] || have sudo || return 1
  as_root apt-get update -q && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# --- prerequisites that only the user can bring ---------------------------------------------------------

need_node() {
  have node && have npm || fail "Node with npm is missing." \
    "Install Node 18 or newer (nodejs.org, or your system's package manager) and run this again."
  local major; major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 18 ] || fail "Node $major is too old: 18 or newer is needed." "Update Node and run this again."
}

need_cargo() {
  [ -d "$HOME/.cargo/bin" ] && PATH="$HOME/.cargo/bin:$PATH"
  have cargo || fail "Rust is missing: no cargo on the PATH." \
    "Install it with rustup (rustup.rs) and run this again."
  have cc || have gcc || have clang || fail "A C compiler to link with is missing." \
    "Install gcc or clang (Debian: apt-get install build-essential; macOS: xcode-select --install)."
  setup_stubs
  setup_checkout
}

# Cargo takes the files of a new clone for changed. For stubs/, on which the interpreter depends, that would mean to compile
# it again: as long as their text is what the cache was built with, they get an old date.
setup_stubs() {
  local sum; sum=$(cd "$LEASEHOLD_ROOT" && cat stubs/*/Cargo.toml stubs/*/*.rs stubs/*/src/* | cksum)
  mkdir -p "$CARGO_TARGET_DIR"
  if [ "$(cat "$CARGO_TARGET_DIR/stubs.sum" 2>/dev/null)" = "$sum" ]; then
    find "$LEASEHOLD_ROOT/stubs" -type f -exec touch -t 202001010000 {} +
  else
    printf '%s\n' "$sum" >"$CARGO_TARGET_DIR/stubs.sum"
  fi
}

# All checkouts share one target folder, for the interpreter's sake, and cargo tells files apart by path and time alone: what
# another checkout has built last would pass for this one's. So whoever comes after another one compiles our own crates anew.
setup_checkout() {
  local last="$CARGO_TARGET_DIR/checkout"
  [ "$(cat "$last" 2>/dev/null)" = "$LEASEHOLD_ROOT" ] && return
  find "$LEASEHOLD_ROOT"/{app,checker,exercises,trust} -name '*.rs' -not -path '*/node_modules/*' -exec touch {} +
  printf '%s\n' "$LEASEHOLD_ROOT" >"$last"
}

# --- the wasm target ------------------------------------------------------------------------------------

has_wasm_std() { ls "$1/lib/rustlib/$WASM/lib/"libstd-*.rlib >/dev/null 2>&1; }

# Is the given rustc at least $MIN_RUST and has it the wasm target?
good_rustc() {
  local v; v=$("$1" --version 2>/dev/null | awk '{ print $2 }')
  [ -n "$v" ] && [ "$(printf '%s\n%s\n' "$MIN_RUST" "$v" | sort -V | head -1)" = "$MIN_RUST" ] &&
    has_wasm_std "$("$1" --print sysroot)"
}

# LEASEHOLD_RUST=system goes the second way (the system's compiler) even where rustup could: to try it.
setup_wasm_target() {
  if [ "${LEASEHOLD_RUST:-}" != system ] && good_rustc rustc; then return; fi
  # A machine that went the second way once stays on it.
  if good_rustc /usr/bin/rustc && have wasm-ld-19; then use_system_rust; return; fi
  if have rustup && [ "${LEASEHOLD_RUST:-}" != system ]; then
    say "Asking rustup for Rust $MIN_RUST or newer with the wasm target (2 min at most; where it can't download, the system's compiler is used)"
    # --no-self-update: the toolchain is our business, the user's rustup is not.
    good_version() { [ "$(printf '%s\n%s\n' "$MIN_RUST" "$(rustc --version | awk '{ print $2 }')" | sort -V | head -1)" = "$MIN_RUST" ]; }
    good_version || timeout 100 rustup update --no-self-update stable >/dev/null 2>&1
    good_version && timeout 20 rustup target add "$WASM" >/dev/null 2>&1
    if good_rustc rustc; then return; fi
    say "  rustup can't fetch it here"
  fi
  have apt-get || fail "Rust $MIN_RUST with the target $WASM can't be had: rustup did not bring it and there is no apt-get." \
    "Run 'rustup update stable && rustup target add $WASM' yourself where the network allows it, then run this again."
  # shellcheck disable=SC2086
  step "Installing the system's Rust compiler with its library's source (about 1 min)" apt_install $STD_PACKAGES
  step "Building Rust's standard library for wasm from its source (about 2 min)" build_wasm_std
  good_rustc /usr/bin/rustc || fail "The system's Rust is older than $MIN_RUST." \
    "Install Rust $MIN_RUST or newer with the target $WASM (rustup.rs), then run this again."
  use_system_rust
}

build_wasm_std() {
  local d="$LEASEHOLD_CACHE/std"
  rm -rf "$d" && mkdir -p "$d/src"
  printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n' > "$d/Cargo.toml"
  : > "$d/src/lib.rs"
  # embed-bitcode: without it a later build with LTO can't read this library.
  (cd "$d" && PATH="/usr/bin:$PATH" RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR="$d/target" \
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
    /usr/bin/cargo build --release -Zbuild-std=std,panic_abort --target $WASM) || return 1
  local to="/usr/lib/rustlib/$WASM/lib"
  as_root mkdir -p "$to"
  find "$d/target/$WASM/release/deps" -name '*.rlib' ! -name 'libempty-*' -exec cp {} "$d" \; || return 1
  as_root cp "$d"/*.rlib "$to/"
  rm -rf "$d/target" "$d"/*.rlib
}

use_system_rust() {
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19
  if have rustup; then
    rustup toolchain list 2>/dev/null | grep -q '^web' || rustup toolchain link web /usr
    export RUSTUP_TOOLCHAIN=web
  else
    PATH="/usr/bin:$PATH"
  fi
}

# rustfmt: the chosen toolchain's own, or any other that rustup has.
rustfmt_cargo() {
  local t
  if cargo fmt --version >/dev/null 2>&1; then cargo fmt "$@"; return; fi
  if have rustup; then
    for t in $(rustup toolchain list | sed 's/ .*//'); do
      if cargo "+$t" fmt --version >/dev/null 2>&1; then env -u RUSTUP_TOOLCHAIN cargo "+$t" fmt "$@"; return; fi
    done
  fi
  fail "rustfmt is missing." "Install it: rustup component add rustfmt (or your system's rustfmt package)."
}

# --- tools built once -----------------------------------------------------------------------------------

# install_tool CRATE VERSION BINARY [cargo install flags]
install_tool() {
  local crate="$1" version="$2" binary="$3"; shift 3
  local root="$LEASEHOLD_CACHE/tools/$crate-$version"
  if [ ! -x "$root/bin/$binary" ]; then
    step "Building $crate $version (once, 3 to 15 min)" env CARGO_TARGET_DIR="$LEASEHOLD_CACHE/tools/target" \
      CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
      CARGO_PROFILE_RELEASE_DEBUG=0 \
      cargo install "$crate" --version "=$version" --root "$root" "$@"
    rm -rf "$LEASEHOLD_CACHE/tools/target"
  fi
  PATH="$root/bin:$PATH"
}

locked_version() { # of a crate in Cargo.lock
  awk -v c="name = \"$1\"" '$0 == c { getline; gsub(/version = |"/, ""); print; exit }' "$LEASEHOLD_ROOT/Cargo.lock"
}

setup_wasm_bindgen() { install_tool wasm-bindgen-cli "$(locked_version wasm-bindgen)" wasm-bindgen; }
setup_trunk()        { install_tool trunk "$TRUNK_VERSION" trunk --locked --no-default-features; }
setup_nextest()      { have cargo-nextest || install_tool cargo-nextest "$NEXTEST_VERSION" cargo-nextest --locked; }

setup_node_modules() {
  cd "$LEASEHOLD_ROOT" || exit 1
  if ! cmp -s package-lock.json node_modules/.installed-lock; then
    step "Installing the page's npm packages (under 1 min)" npm ci --prefer-offline --no-audit --no-fund
    cp package-lock.json node_modules/.installed-lock
  fi
  PATH="$LEASEHOLD_ROOT/node_modules/.bin:$PATH"
}

setup_browser() {
  local c
  for c in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if [ -n "$c" ] && have "$c"; then CHROMIUM="$(command -v "$c")"; break; fi
  done
  if [ -z "${CHROMIUM:-}" ] || ! have chromedriver; then
    have apt-get || fail "Chromium and its chromedriver are missing; the browser tests need both." \
      "Install Chrome or Chromium and a chromedriver of the same version, put both on the PATH (or CHROMIUM=…), and run this again."
    step "Installing Chromium and its driver (about 1 min)" apt_install chromium chromium-driver
    CHROMIUM="$(command -v chromium)"
  fi
  export CHROMIUM CHROMEDRIVER="${CHROMEDRIVER:-$(command -v chromedriver)}"
}

# What is needed to build the page; `./test` adds nextest and a browser.
setup_build() {
  need_node
  need_cargo
  setup_wasm_target
  setup_wasm_bindgen
  setup_trunk
  setup_node_modules
  export PATH
}
