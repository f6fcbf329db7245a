// A whole decode step of one sequence as one kernel.
//
// At batch 1 a step is bound by reading the weights once. Separate kernels would lose more time
// between them than in them, so one block on each multiprocessor goes through all parts, and all
// blocks wait for one another where a part needs all of the part before. Weights do not depend on
// what is computed, so a warp asks for its first rows of the next part before it waits.
//
// A row of a matrix belongs to a warp. Its sizes come as macros: H hidden, NH heads, NE experts,
// TOP experts of a token, NI their inner width, NS that of the shared MLP, ND that of layers
// without experts, FIRST how many of those come first, NL layers, NV vocabulary, EPS.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short bf16;

#define THREADS 512
#define WARPS 16
#define D 128
#define HC (H / 256)
#define SLOTS 8
#define INNER_ALL (TOP * NI + NS > ND ? TOP * NI + NS : ND)

struct Step {
    const bf16 *embed, *input_norm, *qkv, *o, *post_norm, *dense_gate_up, *dense_down;
    const float *router;  // [layers, H, NE]
    const bf16 *expert_gate_up, *expert_down, *shared_gate_up, *shared_down, *final_norm, *head;
    const float *rotary;
    bf16 *k_pool, *v_pool;
    u64 pool_layer;
    const long long *tokens, *positions, *slots;
    const int *table, *reference_len, *ring_len;
    const float *temperature;
    const long long *seed;
    const unsigned char *banned;
    float *hidden, *q, *partial, *logs, *scores, *inner, *bests;
    int *candidates;
    float *logits;  // null: not kept
    u32 *counter;
};

struct Shared {
    float4 x[HC * 64];
    float merge[WARPS][D];
    float best[WARPS], total[WARPS];
    float sums[WARPS];
    float parts[32][NE];
    float logits[NE];
    float slot_logit[SLOTS];
    int slot_id[SLOTS];
};

__device__ __forceinline__ uint4 weights_at(const void* at) {
    uint4 w;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w) : "l"(at));
    return w;
}

__device__ __forceinline__ uint4 fresh_at(const void* at) {
    uint4 w;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w) : "l"(at));
    return w;
}

__device__ __forceinline__ float low(u32 pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }
__device__ __forceinline__ float wide(bf16 x) { return __uint_as_float((u32)x << 16); }

__device__ __forceinline__ bf16 narrow(float x) {
    u32 bits = __float_as_uint(x);
    return (bf16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

__device__ __forceinline__ float dot8(uint4 w, float4 a, float4 b, float sum) {
    sum = fmaf(low(w.x), a.x, sum);
    sum = fmaf(high(w.x), a.y, sum);
    sum = fmaf(low(w.y), a.z, sum);
    sum = fmaf(high(w.y), a.w, sum);
    sum = fmaf(low(w.z), b.x, sum);
    sum = fmaf(high(w.z), b.y, sum);
    sum = fmaf(low(w.w), b.z, sum);
    return fmaf(high(w.w), b.w, sum);
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int step = 16; step; step >>= 1) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

// All blocks wait for one another in two moves. What is asked for after `arrive` is on its way
// meanwhile; asked for before it, it would hold the arrival up, which waits for all reads.
__device__ __forceinline__ void arrive(u32* counter) {
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ __forceinline__ void wait_for_all(u32* counter, u32 arrivals) {
    if (threadIdx.x == 0) {
        u32 seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
        } while (seen < arrivals);
    }
    __syncthreads();
}

// Where four columns lie in `Shared.x`, such that a warp's reads of a row meet no bank twice.
__device__ __forceinline__ int place_of(int four) {
    int within = four % 64;
    return (four / 64 * 2 + (within & 1)) * 32 + (within >> 1);
}

// A row of H columns, asked for and multiplied.
struct Row {
    uint4 w[HC];
    __device__ __forceinline__ void ask(const bf16* row, int lane) {
#pragma unroll
        for (int c = 0; c < HC; c++) w[c] = weights_at(row + c * 256 + lane * 8);
    }
    __device__ __forceinline__ float times(const float4* x, int lane) const {
        float sum = 0;
#pragma unroll
        for (int c = 0; c < HC; c++) sum = dot8(w[c], x[c * 64 + lane], x[c * 64 + 32 + lane], sum);
        return sum;
    }
};

// Puts the residual, times the norm's weights, into `s.x`; returns one over its root mean square.
__device__ __forceinline__ float normed(Shared& s, const float* hidden, const bf16* norm) {
    int tid = threadIdx.x;
    float square = 0;
    if (tid < H / 4) {
        float4 x = __ldcg((const float4*)hidden + tid);
        uint2 g = __ldg((const uint2*)norm + tid);
        square = x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        x.x *= low(g.x);
        x.y *= high(g.x);
        x.z *= low(g.y);
        x.w *= high(g.y);
        s.x[place_of(tid)] = x;
    }
    square = warp_sum(square);
    if (tid % 32 == 0) s.sums[tid / 32] = square;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += s.sums[w];
    return rsqrtf(sum / H + EPS);
}

// The embedding of the newest token becomes the residual; each block keeps a copy to itself.
__device__ __forceinline__ float embedded(Shared& s, const Step& a, const bf16* norm) {
    int tid = threadIdx.x;
    float square = 0;
    if (tid < H / 4) {
        uint2 e = __ldg((const uint2*)(a.embed + a.tokens[0] * H) + tid);
        uint2 g = __ldg((const uint2*)norm + tid);
        float4 x = {low(e.x), high(e.x), low(e.y), high(e.y)};
        if (blockIdx.x == 0) ((float4*)a.hidden)[tid] = x;
        square = x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        s.x[place_of(tid)] = {x.x * low(g.x), x.y * high(g.x), x.z * low(g.y), x.w * high(g.y)};
    }
    square = warp_sum(square);
    if (tid % 32 == 0) s.sums[tid / 32] = square;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += s.sums[w];
    return rsqrtf(sum / H + EPS);
}
