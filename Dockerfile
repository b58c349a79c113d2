# The service with its embedded PostgreSQL; with DATABASE_URL it uses a server of your own. Made for a read-only root: what is
# written goes to /data, and to /tmp, which may be a tmpfs.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Links lead to them, and what they need is installed with the rest.
COPY packages ./packages
RUN npm ci --omit=dev
# The image has its own Node, so the one that the project brings along is not needed.
RUN rm -rf node_modules/node-linux-*

FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TRILHO_DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY packages ./packages
COPY src ./src
RUN ln -s /app/bin/trilho.js /usr/local/bin/trilho
RUN mkdir /data
RUN chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
# A stop lets requests in flight finish.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/trilho.js"]
CMD ["serve"]
