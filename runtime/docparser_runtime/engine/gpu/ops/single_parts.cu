// The parts of a layer. Each takes the rows that its warp asked for before all blocks waited.

#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
// Neighbouring rows go to neighbouring multiprocessors, so each gets as many as any other.
#define MY_ROW (WARP * BLOCKS + blockIdx.x)
#define ALL_WARPS (WARPS * BLOCKS)
#define SPLITS (BLOCKS / NH)
// Rows of H that a block owns where rows of one block must lie together.
#define OWN ((H + BLOCKS - 1) / BLOCKS)
#define PAIRS (3 * NH * (D / 2))
#define MINE ((int)(WARP * 2 + LANE / 16))
#define HEAD ((int)(blockIdx.x % NH))
#define SPLIT ((int)(blockIdx.x / NH))

// Which rows of keys this block looks at; the same in all layers. Rows are counted with the hole
// that a reference leaves in its last block. A half warp reads a row.
#define EARLY 3  // rows that a half warp asks for before the queries are there
struct Keys {
    int first, end, last, reference, ring_start;
    long long newest, position;
    u32 early[EARLY][THREADS];  // in runs of eight elements
    unsigned char early_seen[THREADS];
    float2 turn[WARPS];  // cosine and sine of a warp's first pair
    __device__ __forceinline__ void plan(const Step& a) {
        if (threadIdx.x == 0) {
            reference = a.reference_len[0];
            int ring = a.ring_len[0];
            newest = a.slots[0];
            position = a.positions[0];
            ring_start = (reference + 31) / 32 * 32;
            int rows = ring ? ring_start + ring : reference;
            int share = (rows + SPLITS - 1) / SPLITS;
            first = SPLIT * share;
            end = SPLIT < SPLITS ? min(first + share, rows) : 0;
            last = rows - 1;
        }
        __syncthreads();
        u32 bits = 0;
        for (int i = 0; i < EARLY; i++) {
            int row = first + MINE + 32 * i;
            long long at = slot(a.table[min(row, last) / 32], min(row, last));
            early[i][threadIdx.x] = (u32)(offset(at) / 8);
            bits |= (u32)(seen(row) && at != newest) << i;
        }
        early_seen[threadIdx.x] = bits;
        int pair = min((int)MY_ROW, PAIRS - 1);
        const float* rotary = a.rotary + position * D + pair % (D / 2);
        if (LANE == 0) turn[WARP] = {rotary[0], rotary[D / 2]};
        __syncthreads();
    }
    __device__ __forceinline__ bool seen(int row) const {
        return row < end && (row < reference || row >= ring_start);
    }
    __device__ __forceinline__ long long slot(int block, int row) const {
        return (long long)block * 32 + row % 32;
    }
    __device__ __forceinline__ u64 offset(long long slot) const {
        return ((u64)(slot / 32) * NH + HEAD) * (32 * D) + slot % 32 * D + LANE % 16 * 8;
    }
};


__device__ __forceinline__ const bf16* pair_row(const bf16* qkv, int pair) {
    return qkv + (u64)(pair / (D / 2) * D + pair % (D / 2)) * H;
}

__device__ __forceinline__ void ask_pair(Row& one, Row& two, const bf16* qkv) {
    // Always, and where there is none any: a condition would keep the rows out of registers.
    const bf16* row = pair_row(qkv, min((int)MY_ROW, PAIRS - 1));
    one.ask(row, LANE);
    two.ask(row + D / 2 * H, LANE);
}

__device__ __forceinline__ void project_qkv(
    Shared& s, const Step& a, const Keys& p, float scale, Row& one, Row& two, const bf16* qkv,
    bf16* keys, bf16* values
) {
    for (int pair = MY_ROW; pair < PAIRS; pair += ALL_WARPS) {
        if (pair != MY_ROW) {
            one.ask(pair_row(qkv, pair), LANE);
            two.ask(pair_row(qkv, pair) + D / 2 * H, LANE);
        }
        int kind = pair / (NH * D / 2), head = pair / (D / 2) % NH, d = pair % (D / 2);
        float cosine = p.turn[WARP].x, sine = p.turn[WARP].y;
        if (pair != MY_ROW) {
            cosine = a.rotary[p.position * D + d];
            sine = a.rotary[p.position * D + D / 2 + d];
        }
        float left = warp_sum(one.times(s.x, LANE)) * scale;
        float right = warp_sum(two.times(s.x, LANE)) * scale;
        if (kind < 2) {
            float turned = left * cosine - right * sine;
            right = right * cosine + left * sine;
            left = turned;
        }
        if (LANE == 0) {
            if (kind == 0) {
                a.q[head * D + d] = left;
                a.q[head * D + D / 2 + d] = right;
            } else {
                bf16* at = (kind == 1 ? keys : values) + ((p.newest / 32 * NH + head) * 32 + p.newest % 32) * D + d;
                at[0] = narrow(left);
                at[D / 2] = narrow(right);
            }
        }
    }
}

struct Gathered {
    float q[8], sum[8], best, total;
    __device__ __forceinline__ void add(uint4 k, uint4 v, bool seen) {
        float4 a = {q[0], q[1], q[2], q[3]}, b = {q[4], q[5], q[6], q[7]};
        float score = dot8(k, a, b, 0.f);
#pragma unroll
        for (int step = 8; step; step >>= 1) score += __shfl_xor_sync(~0u, score, step);
        if (!seen) return;
        float higher = fmaxf(best, score), fade = exp2f(best - higher), weight = exp2f(score - higher);
        best = higher;
        total = total * fade + weight;
        float value[8] = {low(v.x), high(v.x), low(v.y), high(v.y), low(v.z), high(v.z), low(v.w), high(v.w)};
#pragma unroll
        for (int i = 0; i < 8; i++) sum[i] = fmaf(sum[i], fade, weight * value[i]);
    }
};

#define LATE 2  // rows that it asks for at a time after those
struct EarlyKeys { uint4 k[EARLY], v[EARLY]; };

__device__ __forceinline__ void ask_keys(EarlyKeys& e, const Keys& p, const bf16* keys, const bf16* values) {
#pragma unroll
    for (int i = 0; i < EARLY; i++) {
        e.k[i] = fresh_at(keys + (u64)p.early[i][threadIdx.x] * 8);
        e.v[i] = fresh_at(values + (u64)p.early[i][threadIdx.x] * 8);
    }
}

__device__ __forceinline__ void attend(
    Shared& s, const Step& a, const Keys& p, EarlyKeys& e, const bf16* keys, const bf16* values
) {
    if (SPLIT >= SPLITS) return;
    Gathered g;
    const float scale = 0.08838834764831845f * 1.4426950408889634f;  // of D = 128, and log2(e)
    float4 qa = __ldcg((const float4*)(a.q + HEAD * D) + LANE % 16 * 2);
    float4 qb = __ldcg((const float4*)(a.q + HEAD * D) + LANE % 16 * 2 + 1);
    uint4 new_k = fresh_at(keys + p.offset(p.newest)), new_v = fresh_at(values + p.offset(p.newest));
    float q[8] = {qa.x, qa.y, qa.z, qa.w, qb.x, qb.y, qb.z, qb.w};
#pragma unroll
    for (int i = 0; i < 8; i++) g.q[i] = q[i] * scale, g.sum[i] = 0;
    g.best = -1e30f, g.total = 0;
#pragma unroll
    for (int i = 0; i < EARLY; i++) g.add(e.k[i], e.v[i], p.early_seen[threadIdx.x] >> i & 1);
    g.add(new_k, new_v, SPLIT == 0 && MINE == 0);  // written in this step: one adds it
    int row = p.first + 32 * EARLY + MINE;
    int block[LATE];
#pragma unroll
    for (int i = 0; i < LATE; i++) block[i] = a.table[min(row + 32 * i, p.last) / 32];
    for (int start = p.first + 32 * EARLY; start < p.end; start += 32 * LATE, row += 32 * LATE) {
        uint4 k[LATE], v[LATE];
        u32 seen = 0;
#pragma unroll
        for (int i = 0; i < LATE; i++) {
            long long slot = p.slot(block[i], min(row + 32 * i, p.last));
            u64 at = p.offset(slot);
            k[i] = fresh_at(keys + at);
            v[i] = fresh_at(values + at);
            seen |= (u32)(p.seen(row + 32 * i) && slot != p.newest) << i;
            block[i] = a.table[min(row + 32 * LATE + 32 * i, p.last) / 32];
        }
#pragma unroll
        for (int i = 0; i < LATE; i++) g.add(k[i], v[i], seen >> i & 1);
    }
    // The two halves of each warp, then the warps.
    float best = fmaxf(g.best, __shfl_xor_sync(~0u, g.best, 16)), fade = exp2f(g.best - best);
    float total = g.total * fade;
    total += __shfl_xor_sync(~0u, total, 16);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float x = g.sum[i] * fade;
        x += __shfl_xor_sync(~0u, x, 16);
        if (LANE < 16) s.merge[WARP][LANE * 8 + i] = x;
    }
    if (LANE == 0) s.best[WARP] = best, s.total[WARP] = total;
    __syncthreads();
    if (threadIdx.x < D) {
        float top = -1e30f, sum = 0, all = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) top = fmaxf(top, s.best[w]);
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            float factor = exp2f(s.best[w] - top);
            sum = fmaf(s.merge[w][threadIdx.x], factor, sum);
            all = fmaf(s.total[w], factor, all);
        }
        a.partial[(SPLIT * NH + HEAD) * D + threadIdx.x] = all > 0 ? sum / all : 0.f;
        if (threadIdx.x == 0) a.logs[SPLIT * NH + HEAD] = all > 0 ? top + log2f(all) : -1e30f;
    }
}

struct Output { Row row; float2 router; float hidden, norm; };

__device__ __forceinline__ void ask_output(
    Output& next, const Step& a, const bf16* o, const bf16* norm, const float* router
) {
    int row = min((int)(blockIdx.x * OWN + min((int)WARP, OWN - 1)), H - 1);
    next.hidden = __ldcg(a.hidden + row);
    next.norm = wide(__ldg(norm + row));
    next.row.ask(o + (u64)row * H, LANE);
    next.router = router ? __ldg((const float2*)(router + (u64)row * NE) + LANE) : float2{0, 0};
}

// Puts the shares of attention together, projects, adds to the residual; `scores` gets this
// block's part of the router's products.
__device__ __forceinline__ void project_output(
    Shared& s, const Step& a, Output& next, bool routed
) {
    int tid = threadIdx.x, row = blockIdx.x * OWN + WARP;
    if (tid < H / 4) {
        int head = tid / (D / 4);
        float4 sum = {0, 0, 0, 0};
        float top = -1e30f, all = 0;
        float logs[SPLITS];
        float4 parts[SPLITS];
#pragma unroll
        for (int i = 0; i < SPLITS; i++) {
            logs[i] = __ldcg(a.logs + i * NH + head);
            parts[i] = __ldcg((const float4*)(a.partial + i * NH * D) + tid);
        }
#pragma unroll
        for (int i = 0; i < SPLITS; i++) top = fmaxf(top, logs[i]);
#pragma unroll
        for (int i = 0; i < SPLITS; i++) {
            float factor = exp2f(logs[i] - top);
            all += factor;
            sum.x = fmaf(parts[i].x, factor, sum.x);
            sum.y = fmaf(parts[i].y, factor, sum.y);
            sum.z = fmaf(parts[i].z, factor, sum.z);
            sum.w = fmaf(parts[i].w, factor, sum.w);
        }
        float one = 1 / all;
        s.x[place_of(tid)] = {sum.x * one, sum.y * one, sum.z * one, sum.w * one};
    }
    __syncthreads();
    if (WARP < OWN) {
        float2 part = {0, 0};
        if (row < H) {
            float fresh = next.hidden + warp_sum(next.row.times(s.x, LANE));
            if (LANE == 0) a.hidden[row] = fresh;
            fresh *= next.norm;
            part = {next.router.x * fresh, next.router.y * fresh};
        }
        ((float2*)s.parts[WARP])[LANE] = part;
    }
    __syncthreads();
    if (routed && tid < NE) {
        float sum = 0;
#pragma unroll
        for (int w = 0; w < OWN; w++) sum += s.parts[w][tid];
        a.scores[blockIdx.x * NE + tid] = sum;
    }
}
