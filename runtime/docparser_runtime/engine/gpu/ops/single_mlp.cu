// MLPs, with experts and without, the head, and the kernel itself.

#define SCORE_PARTS (((H + OWN - 1) / OWN + THREADS / (NE / 4) - 1) / (THREADS / (NE / 4)))

__device__ __forceinline__ void ask_scores(float4* parts, const Step& a) {
#pragma unroll
    for (int i = 0; i < SCORE_PARTS; i++) {
        int block = threadIdx.x / (NE / 4) + i * (THREADS / (NE / 4));
        bool is = block < (H + OWN - 1) / OWN;
        parts[i] = __ldcg((const float4*)(a.scores + (is ? block : 0) * NE) + threadIdx.x % (NE / 4));
        if (!is) parts[i] = {0, 0, 0, 0};
    }
}

// Adds up the router's products and ranks the experts: `slot_id` and `slot_logit`, best first.
__device__ __forceinline__ void choose(Shared& s, const float4* parts, float scale) {
    int tid = threadIdx.x;
    float4 sum = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < SCORE_PARTS; i++)
        sum.x += parts[i].x, sum.y += parts[i].y, sum.z += parts[i].z, sum.w += parts[i].w;
    ((float4*)s.parts[tid / (NE / 4)])[tid % (NE / 4)] = sum;
    __syncthreads();
    int expert = tid / 8, share = tid % 8;
    float logit = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) logit += s.parts[share * 4 + i][expert];
#pragma unroll
    for (int step = 4; step; step >>= 1) logit += __shfl_xor_sync(~0u, logit, step);
    logit *= scale;
    if (share == 0) s.logits[expert] = logit;
    __syncthreads();
    int rank = 0;
#pragma unroll
    for (int i = 0; i < NE / 8; i++) {
        int other = share * (NE / 8) + i;
        float theirs = s.logits[other];
        rank += theirs > logit || (theirs == logit && other < expert);
    }
#pragma unroll
    for (int step = 4; step; step >>= 1) rank += __shfl_xor_sync(~0u, rank, step);
    if (share == 0 && rank < TOP) s.slot_id[rank] = expert, s.slot_logit[rank] = logit;
    __syncthreads();
}

// Log of the sum of all experts' exponents.
__device__ __forceinline__ float log_total(const Shared& s) {
    float one = s.logits[LANE], two = s.logits[LANE + 32], top = fmaxf(one, two);
#pragma unroll
    for (int step = 16; step; step >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    return top + logf(warp_sum(expf(one - top) + expf(two - top)));
}

struct Mlp { const bf16 *routed, *shared; int width, common, all; };

__device__ __forceinline__ void ask_unit(Row& gate, Row& up, const Mlp& m, const Shared& s, int unit) {
    const bf16* row;
    int width;
    if (unit < m.common) {
        row = m.shared + (u64)unit * H;
        width = m.common;
    } else {
        int routed = unit - m.common;
        row = m.routed + ((u64)s.slot_id[routed / NI] * 2 * NI + routed % NI) * H;
        width = NI;
    }
    gate.ask(row, LANE);
    up.ask(row + (u64)width * H, LANE);
}

__device__ __forceinline__ void gate_and_up(
    Shared& s, const Step& a, const Mlp& m, float scale, Row& gate, Row& up
) {
    Row next_gate, next_up;
    int unit = MY_ROW;
    float total = 0;
    bool first = true;
    while (unit < m.all) {
        int next = unit + ALL_WARPS;
        if (next < m.all) ask_unit(next_gate, next_up, m, s, next);
        if (first && m.all > m.common) total = log_total(s);
        first = false;
        float g = warp_sum(gate.times(s.x, LANE)) * scale, u = warp_sum(up.times(s.x, LANE)) * scale;
        float product = g / (1 + __expf(-g)) * u;
        int at = m.all > m.common ? TOP * NI + unit : unit;
        if (unit >= m.common) {
            at = unit - m.common;
            product *= expf(s.slot_logit[at / NI] - total);
        }
        if (LANE == 0) a.inner[at] = product;
        gate = next_gate;
        up = next_up;
        unit = next;
    }
}

// The second matrix in eight slots of columns; a warp keeps to one of them.
struct Down { const bf16* at; u64 stride; int width; };
#define DOWN_ROWS 5
#define DOWN_EARLY 3
struct DownRows { uint4 w[DOWN_EARLY][4]; };

__device__ __forceinline__ void ask_down(uint4* w, const Down& d, int row) {
#pragma unroll
    for (int c = 0; c < 4; c++)
        w[c] = weights_at(d.at + min(row, H - 1) * d.stride + min((int)(c * 256 + LANE * 8), d.width - 8));
}

#define DOWN_ROW(i) ((int)(blockIdx.x * OWN + WARP / SLOTS + 2 * (i)))

__device__ __forceinline__ void ask_down_early(DownRows& e, const Down& d) {
#pragma unroll
    for (int i = 0; i < DOWN_EARLY; i++) ask_down(e.w[i], d, DOWN_ROW(i));
}

__device__ __forceinline__ float down_sum(const uint4* w, const float4* x, const Down& d) {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < 4; c++) sum = dot8(w[c], x[2 * c], x[2 * c + 1], sum);
    return warp_sum(sum);
}

__device__ __forceinline__ void down(Shared& s, const Step& a, const Down& d, DownRows& e) {
    int slot = WARP % SLOTS;
    float4 x[8];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        bool within = c * 256 + LANE * 8 < d.width;
        const float4* at = (const float4*)(a.inner + slot * d.width + c * 256 + LANE * 8);
        x[2 * c] = within ? __ldcg(at) : float4{0, 0, 0, 0};
        x[2 * c + 1] = within ? __ldcg(at + 1) : float4{0, 0, 0, 0};
    }
#pragma unroll
    for (int i = 0; i < DOWN_ROWS; i++) {
        float sum = down_sum(e.w[i % DOWN_EARLY], x, d);
        if (LANE == 0) s.parts[WARP / SLOTS + 2 * i][slot] = sum;
        if (i + DOWN_EARLY < DOWN_ROWS) ask_down(e.w[i % DOWN_EARLY], d, DOWN_ROW(i + DOWN_EARLY));
    }
    __syncthreads();
    int row = blockIdx.x * OWN + threadIdx.x;
    if (threadIdx.x < OWN && row < H) {
        float sum = __ldcg(a.hidden + row);
#pragma unroll
        for (int i = 0; i < SLOTS; i++) sum += s.parts[threadIdx.x][i];
        a.hidden[row] = sum;
    }
}

__device__ __forceinline__ float noise(u64 seed, u32 position, u32 token) {
    u64 x = (seed + 0x9e3779b97f4a7c15ull * (position + 1)) ^ ((u64)token << 32 | token);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    float uniform = ((u32)(x >> 40) + 0.5f) * (1.f / 16777216.f);
    return -logf(-logf(uniform));
}

#define HEAD_ROWS 4
__device__ __forceinline__ void score_vocabulary(Shared& s, const Step& a, float scale, Row* rows) {
    float best = -1e38f, temperature = a.temperature[0];
    int token = NV;
    for (int first = MY_ROW; first < NV; first += HEAD_ROWS * ALL_WARPS) {
        bool banned[HEAD_ROWS];
#pragma unroll
        for (int i = 0; i < HEAD_ROWS; i++) {
            int row = first + i * ALL_WARPS;
            banned[i] = row >= NV || a.banned[row];
            if (row < NV && (first != MY_ROW || i >= 2)) rows[i].ask(a.head + (u64)row * H, LANE);
        }
#pragma unroll
        for (int i = 0; i < HEAD_ROWS; i++) {
            int row = first + i * ALL_WARPS;
            float score = warp_sum(rows[i].times(s.x, LANE)) * scale;
            if (a.logits && row < NV && LANE == 0) a.logits[row] = score;
            if (temperature > 0)
                score = score / temperature + noise(a.seed[0], (u32)a.positions[0], (u32)row);
            if (!banned[i] && score > best) best = score, token = row;
        }
    }
    if (LANE == 0) s.best[WARP] = best, s.total[WARP] = __int_as_float(token);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 0; w < WARPS; w++) {
            int other = __float_as_int(s.total[w]);
            if (s.best[w] > best || (s.best[w] == best && other < token)) best = s.best[w], token = other;
        }
        a.bests[blockIdx.x] = best;
        a.candidates[blockIdx.x] = token;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) single_step(const __grid_constant__ Step a) {
    __shared__ Shared s;
    u32 arrived = 0;
    Row one, two;
    ask_pair(one, two, a.qkv);
    __shared__ Keys plan;
    plan.plan(a);
    for (int layer = 0; layer < NL; layer++) {
        const bf16 *qkv = a.qkv + (u64)layer * 3 * NH * D * H, *after = a.post_norm + layer * H;
        bf16 *keys = a.k_pool + layer * a.pool_layer, *values = a.v_pool + layer * a.pool_layer;
        int sparse = layer - FIRST;
        const float* router = sparse < 0 ? nullptr : a.router + (u64)sparse * NE * H;
        {
            const bf16* norm = a.input_norm + layer * H;
            float scale = layer ? normed(s, a.hidden, norm) : embedded(s, a, norm);
            project_qkv(s, a, plan, scale, one, two, qkv, keys, values);
        }
        arrive(a.counter);
        EarlyKeys early;
        ask_keys(early, plan, keys, values);
        wait_for_all(a.counter, arrived += BLOCKS);
        attend(s, a, plan, early, keys, values);
        arrive(a.counter);
        Output output;
        ask_output(output, a, a.o + (u64)layer * H * NH * D, after, router);
        wait_for_all(a.counter, arrived += BLOCKS);
        project_output(s, a, output, sparse >= 0);
        arrive(a.counter);
        Mlp mlp;
        if (sparse < 0) {
            mlp = {nullptr, a.dense_gate_up + (u64)layer * 2 * ND * H, ND, ND, ND};
        } else {
            mlp = {a.expert_gate_up + (u64)sparse * NE * 2 * NI * H,
                   a.shared_gate_up + (u64)sparse * 2 * NS * H, NS, NS, NS + TOP * NI};
        }
        bool waits = MY_ROW >= mlp.common;  // its first row depends on the routing
        if (!waits) ask_unit(one, two, mlp, s, MY_ROW);
        wait_for_all(a.counter, arrived += BLOCKS);
        float4 parts[SCORE_PARTS];
        ask_scores(parts, a);
        float scale = normed(s, a.hidden, after);
        if (sparse >= 0) choose(s, parts, scale);
        if (waits) ask_unit(one, two, mlp, s, MY_ROW);
        gate_and_up(s, a, mlp, scale, one, two);
        arrive(a.counter);
        int slot = WARP % SLOTS;
        Down second;
        if (sparse < 0) {
            second = {a.dense_down + (u64)layer * H * ND + slot * (ND / SLOTS), ND, ND / SLOTS};
        } else if (slot < TOP) {
            second = {a.expert_down + ((u64)sparse * NE + s.slot_id[slot]) * H * NI, NI, NI};
        } else {
            second = {a.shared_down + (u64)sparse * H * NS + (slot - TOP) * NI, NS, NI};
        }
        DownRows rows;
        ask_down_early(rows, second);
        wait_for_all(a.counter, arrived += BLOCKS);
        down(s, a, second, rows);
        arrive(a.counter);
        if (layer + 1 < NL) {
            ask_pair(one, two, qkv + 3 * NH * D * H);
        } else {
            one.ask(a.head + (u64)MY_ROW * H, LANE);
            two.ask(a.head + (u64)(MY_ROW + ALL_WARPS) * H, LANE);
        }
        wait_for_all(a.counter, arrived += BLOCKS);
    }
    Row rows[HEAD_ROWS];
    rows[0] = one;
    rows[1] = two;
    float scale = normed(s, a.hidden, a.final_norm);
    score_vocabulary(s, a, scale, rows);
}
