# docker build --tag lockstep .
# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" lockstep plan torus:4x4 -c all-gather -o plan.json
# The user of the image may not write to the folder of another user, so `--user` gives yours.
FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /source
COPY . .
# The toolchain of the image, without the components that `rust-toolchain.toml` adds for development.
ENV RUSTUP_TOOLCHAIN=1.95.0
RUN cargo build --release --locked --package lockstep-cli

# The C library, without a shell or a package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /source/target/release/lockstep /usr/local/bin/lockstep
WORKDIR /data
ENTRYPOINT ["lockstep"]
